import { expect, it } from 'vitest'
import type { Simulator } from '../../src/simulator/index.ts'
import { worldResources } from '../simulation/world.ts'
import { call, code, startOnSockets } from './support.ts'

async function ask(simulator: Simulator, method: string, path: string, json?: unknown) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(`${simulator.controlUrl}${path}`, { method, ...body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

it('shows the whole truth of every resource of both tenants', async () => {
  const simulator = await startOnSockets()
  for (const tenant of ['primary', 'second'] as const) {
    for (const resource of worldResources) {
      const { status, body } = await ask(simulator, 'GET', `/state/${tenant}/${resource}`)
      expect([status, body]).toEqual([200, simulator[tenant].resources[resource].all()])
    }
  }
  simulator.primary.documents.removeWhere(1)
  expect((await ask(simulator, 'GET', '/state/primary/documents')).body).toEqual([])
})

it('changes users and any other record', async () => {
  const simulator = await startOnSockets()
  const added = await ask(simulator, 'POST', '/mutate', { resource: 'users', op: 'add', fields: { firstName: 'Ada' } })
  const { userId: id } = added.body.record
  const fields = { mfaStatus: 'false', state: 'Invited', createdAt: 9e15 }
  const patched = await ask(simulator, 'POST', '/mutate', { resource: 'users', op: 'update', id, fields })
  expect(patched.body.record).toMatchObject({ firstName: 'Ada', ...fields })
  for (const [resource, fields] of [
    ['documents', { filename: 'x.pdf' }],
    ['api-clients', { name: 'x' }],
    ['roles', { name: 'x' }],
    ['permissions', { code: 'x' }],
  ] as const) {
    const { body } = await ask(simulator, 'POST', '/mutate', { tenant: 'second', resource, op: 'add', fields })
    expect(body.record).toMatchObject(fields)
    const id = Object.values(body.record)[0]
    const update = { tenant: 'second', resource, op: 'update', id, fields: { raw: { note: 'changed' } } }
    expect((await ask(simulator, 'POST', '/mutate', update)).status).toBe(200)
    expect((await ask(simulator, 'POST', '/mutate', { tenant: 'second', resource, op: 'remove', id })).body).toEqual({
      removed: true,
    })
  }
  await ask(simulator, 'POST', '/mutate', {
    resource: 'authentication-settings',
    op: 'update',
    fields: { mfaEnabled: false },
  })
  expect(simulator.primary['authentication-settings'].all()).toMatchObject([{ mfaEnabled: false }])
})

it('puts faults in place, lists and removes them', async () => {
  const simulator = await startOnSockets()
  const fault = { path: '/api/public/roles', times: 1, effect: { kind: 'status', status: 500 } }
  const { body } = await ask(simulator, 'POST', '/faults', fault)
  expect(body).toEqual({ ...fault, id: 'fault-1', matched: 0, hits: 0 })
  expect((await call(simulator, '/roles')).status).toBe(500)
  expect((await ask(simulator, 'GET', '/faults')).body).toMatchObject([{ id: 'fault-1', hits: 1 }])
  expect((await ask(simulator, 'DELETE', '/faults/fault-1')).body).toEqual({ faults: [] })
  expect((await ask(simulator, 'DELETE', '/faults/fault-1')).status).toBe(404)
  await ask(simulator, 'POST', '/faults', { effect: { kind: 'set', path: 'data' } })
  expect((await call(simulator, '/roles')).body).not.toHaveProperty('data')
  expect((await ask(simulator, 'DELETE', '/faults')).body).toEqual({ faults: [] })
})

it('changes tokens', async () => {
  const simulator = await startOnSockets()
  const change = (json: unknown) => ask(simulator, 'POST', '/tokens', json)
  const { tokens, credentials } = (await ask(simulator, 'GET', '/tokens')).body
  expect(tokens).toEqual(simulator.tokens)
  expect(credentials.reader.permissions).toEqual([...simulator.credentials.reader.permissions])
  await change({ token: 'reader', action: 'revoke' })
  expect(code(await call(simulator, '/roles'))).toBe('UNAUTHORIZED')
  await change({ token: 'reader', action: 'restore' })
  await change({ token: 'reader', action: 'deny', permission: 'Api_Roles_Read' })
  expect((await call(simulator, '/roles')).status).toBe(401)
  await change({ token: 'reader', action: 'grant', permission: 'Api_Roles_Read' })
  expect((await call(simulator, '/roles')).status).toBe(200)
  await change({ token: 'reader', action: 'swap' })
  expect((await call(simulator, '/authentication-settings')).body.data).toMatchObject({ ssoEnabled: false })
  expect((await change({ token: 'reader', action: 'rotate' })).body.value).toBe(simulator.tokens.reader)
})

it('names the place of the problem of a control request', async () => {
  const simulator = await startOnSockets()
  for (const [path, json, status, place] of [
    ['/nothing', {}, 404, 'POST /nothing'],
    ['/faults', {}, 400, 'effect'],
    ['/faults', { effect: { kind: 'delay' } }, 400, 'effect.ms'],
    ['/faults', { effect: { kind: 'reset', when: 'x' } }, 400, 'effect.when'],
    ['/faults', { effect: { kind: 'none of them' } }, 400, 'ignore-cursor'],
    ['/faults', { effect: { kind: 'status', status: 99 } }, 400, 'effect.status'],
    ['/%', {}, 400, 'URI'],
    ['/faults', { pth: '/x', effect: { kind: 'hang' } }, 400, 'pth'],
    ['/mutate', { resource: 'users', op: 'update', id: 5 }, 404, '5 of users'],
    ['/mutate', { resource: 'users', op: 'remove' }, 400, 'id'],
    ['/mutate', { resource: 'users', op: 'add', fields: { mfastatus: false } }, 400, 'mfaStatus?'],
    ['/mutate', { resource: 'roles', op: 'add', fields: { permissions: ['Api_User_Read'] } }, 404, 'Api_User_Read'],
    ['/mutate', { resource: 'authentication-settings', op: 'remove' }, 400, 'authentication-settings'],
    ['/mutate', { resource: 'users', op: 'add', field: {} }, 400, 'field'],
    ['/tokens', { token: 'reader', action: 'grant' }, 400, 'permission'],
  ] as const) {
    const answer = await ask(simulator, 'POST', path, json)
    expect([path, answer]).toEqual([path, { status, body: { error: expect.stringContaining(place) } }])
  }
  expect((await ask(simulator, 'GET', '/state?tenant=primary')).body.error).toContain('/state/<tenant>/<resource>')
  const response = await fetch(`${simulator.controlUrl}/mutate`, { method: 'POST', body: '{' })
  expect(await response.json()).toEqual({ error: 'The body is not JSON' })
})

it('describes each action with examples that can be sent as they are', async () => {
  const simulator = await startOnSockets()
  const { actions } = (await ask(simulator, 'GET', '/')).body
  for (const { action, examples } of actions) {
    const [method = ''] = action.split(' ')
    for (const { path, body } of examples)
      expect([action, (await ask(simulator, method, path, body)).status]).toEqual([action, 200])
  }
  const { body: schema } = actions.find(({ action }: { readonly action: string }) => action === 'POST /tokens')
  expect(schema.properties.action.enum).toContain('swap')
})
