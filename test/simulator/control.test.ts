import { expect, it } from 'vitest'
import { type Simulator, startSimulator } from '../../src/simulator/index.ts'
import { call, code, start } from './support.ts'

async function ask(simulator: Simulator, method: string, path: string, json?: unknown) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(`${simulator.controlUrl}${path}`, { method, ...body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

it('shows the whole truth of every resource of both tenants', async () => {
  const simulator = await start({ controlPort: 0 })
  for (const tenant of ['primary', 'second'] as const) {
    const state = simulator.state(tenant)
    for (const resource of ['users', 'documents', 'api-clients', 'roles', 'permissions'] as const) {
      const { status, body } = await ask(simulator, 'GET', `/state/${tenant}/${resource}`)
      expect([status, body]).toEqual([200, [...state.records(resource)]])
    }
    const settings = await ask(simulator, 'GET', `/state/${tenant}/authentication-settings`)
    expect(settings.body).toEqual(state.authenticationSettings())
  }
  simulator.primary.removeDocuments(1)
  expect((await ask(simulator, 'GET', '/state/primary/documents')).body).toEqual([])
})

it('changes users and any other record', async () => {
  const simulator = await start({ controlPort: 0 })
  const added = await ask(simulator, 'POST', '/users', { firstName: 'Ada' })
  const { userId } = added.body.record
  const patched = await ask(simulator, 'POST', `/users/${userId}`, { mfaStatus: 'false', state: 'Invited' })
  expect(patched.body.record).toMatchObject({ firstName: 'Ada', mfaStatus: 'false', state: 'Invited' })
  for (const [resource, fields] of [
    ['documents', { filename: 'x.pdf' }],
    ['api-clients', { name: 'x' }],
    ['roles', { name: 'x' }],
    ['permissions', { code: 'x' }],
  ] as const) {
    const { body } = await ask(simulator, 'POST', '/mutate', { tenant: 'second', resource, op: 'add', fields })
    expect(body.record).toMatchObject(fields)
    const id = Object.values(body.record)[0]
    const update = { tenant: 'second', resource, op: 'update', id, fields: { description: 'changed' } }
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
  expect(simulator.state().authenticationSettings().mfaEnabled).toBe(false)
})

it('puts faults in place, lists and removes them', async () => {
  const simulator = await start({ controlPort: 0 })
  const fault = { path: '/api/public/roles', times: 1, effect: { kind: 'status', status: 500 } }
  const { body } = await ask(simulator, 'POST', '/faults', fault)
  expect(body).toEqual({ ...fault, id: 'fault-1', matched: 0, hits: 0 })
  expect((await call(simulator, '/roles')).status).toBe(500)
  expect((await ask(simulator, 'GET', '/faults')).body).toMatchObject([{ id: 'fault-1', hits: 1 }])
  expect((await ask(simulator, 'DELETE', '/faults/fault-1')).body).toEqual({ faults: [] })
  expect((await ask(simulator, 'DELETE', '/faults/fault-1')).status).toBe(404)
  await ask(simulator, 'POST', '/faults', { effect: { kind: 'merge', patch: { data: null } } })
  expect((await call(simulator, '/roles')).body).not.toHaveProperty('data')
  expect((await ask(simulator, 'DELETE', '/faults')).body).toEqual({ faults: [] })
})

it('shows and clears requests and violations', async () => {
  const simulator = await start({ controlPort: 0 })
  await call(simulator, '/nothing')
  expect((await ask(simulator, 'GET', '/requests')).body).toMatchObject({
    counters: { 'GET unknown 404': 1 },
    requests: [{ path: '/api/public/nothing', token: 'reader' }],
  })
  expect((await ask(simulator, 'GET', '/violations')).body).toMatchObject([{ kind: 'unknown-path' }])
  await ask(simulator, 'DELETE', '/requests')
  await ask(simulator, 'DELETE', '/violations')
  expect([simulator.requests.count(), simulator.violations]).toEqual([0, []])
})

it('changes tokens, readings and cursors, and runs life', async () => {
  const simulator = await start({ controlPort: 0 })
  const change = (json: unknown) => ask(simulator, 'POST', '/tokens', json)
  expect((await ask(simulator, 'GET', '/tokens')).body.tokens).toEqual(simulator.tokens)
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

  expect((await ask(simulator, 'POST', '/readings', { errorShape: 'string' })).body.errorShape).toBe('string')
  expect((await ask(simulator, 'GET', '/readings')).body.errorShape).toBe('string')
  const cursor = (await call(simulator, '/users')).body.pagination?.nextCursor
  await ask(simulator, 'POST', '/cursors')
  expect((await call(simulator, `/users?cursor=${cursor}`)).status).toBe(400)
  expect((await ask(simulator, 'POST', '/live', { steps: 10 })).body.length).toBeGreaterThan(5)
})

it('names the problem of a control request', async () => {
  const simulator = await start({ controlPort: 0 })
  for (const [path, json, status, message] of [
    ['/nothing', {}, 404, 'There is no action POST /nothing'],
    ['/faults', {}, 400, 'effect must be an object'],
    ['/faults', { effect: { kind: 'delay' } }, 400, 'effect.ms must be a number'],
    ['/faults', { effect: { kind: 'hang', extra: 1 } }, 400, 'effect has no member extra'],
    [
      '/faults',
      { effect: { kind: 'reset', when: 'x' } },
      400,
      'effect.when must be one of before, unanswered, mid, not x',
    ],
    ['/faults', { pth: '/x', effect: { kind: 'hang' } }, 400, 'fault has no member pth'],
    ['/users/5', {}, 404, 'Cannot change user 5: it does not exist'],
    [
      '/mutate',
      { resource: 'authentication-settings', op: 'remove' },
      400,
      'authentication-settings cannot be removed',
    ],
    [
      '/mutate',
      { resource: 'users', op: 'add', field: {}, idd: 1 },
      400,
      'The body has no member field, idd; it may have tenant, resource, op, id, fields',
    ],
    ['/tokens', { tok: 1 }, 400, 'The body has no member tok; it may have token, action, permission'],
    ['/live', { step: 1 }, 400, 'The body has no member step; it may have steps'],
    ['/readings', { errorShap: 1 }, 400, 'There is no reading errorShap'],
    ['/readings', { documentOrder: 'fileId' }, 400, 'documentOrder cannot change after the start'],
    ['/live', { steps: -1 }, 400, 'steps must be a whole number'],
    ['/live', [], 400, 'The body must be an object'],
  ] as const) {
    expect([path, await ask(simulator, 'POST', path, json)]).toEqual([path, { status, body: { error: message } }])
  }
  const transform = await ask(simulator, 'POST', '/faults', { effect: { kind: 'transform' } })
  expect(transform.status).toBe(400)
  const response = await fetch(`${simulator.controlUrl}/live`, { method: 'POST', body: '{' })
  expect(await response.json()).toEqual({ error: 'The body is not JSON' })
})

it('names the place of the tenant in the path of a state', async () => {
  const simulator = await start({ controlPort: 0 })
  expect(await ask(simulator, 'GET', '/state?tenant=primary')).toEqual({
    status: 400,
    body: { error: 'The tenant in the path /state/<tenant>/<resource> must be one of primary, second, not undefined' },
  })
})

it('lists the values that its actions take', async () => {
  const simulator = await start({ controlPort: 0 })
  const { values } = (await ask(simulator, 'GET', '/')).body
  expect(values).toMatchObject({ tenant: ['primary', 'second'], 'POST /mutate': { op: ['add', 'update', 'remove'] } })
  const kinds = Object.keys(values['POST /faults']['effect.kind'])
  expect(kinds).toContain('empty')
  const { body } = await ask(simulator, 'POST', '/faults', { effect: { kind: 'none of them' } })
  expect(body.error).toContain(kinds.join(', '))
  const drop = await ask(simulator, 'POST', '/faults', { effect: { kind: 'drop', ids: 1001 } })
  expect(drop).toEqual({ status: 400, body: { error: 'effect.ids must be a list' } })
})

it('gives an example of each action that can be sent as it is', async () => {
  const simulator = await start({ controlPort: 0 })
  const { body } = await ask(simulator, 'GET', '/')
  const examples = body.examples as readonly { action: string; path: string; body?: unknown }[]
  expect([...new Set(examples.map(({ action }) => action))]).toEqual(body.actions)
  for (const { action, path, body: sent } of examples) {
    const [method = ''] = action.split(' ')
    expect([action, (await ask(simulator, method, path, sent)).status]).toEqual([action, 200])
  }
})

it('can be started without control, and refuses a port that is taken', async () => {
  const simulator = await start()
  expect(simulator.controlUrl).toBeNull()
  const taken = Number(new URL(simulator.baseUrl).port)
  await expect(startSimulator({ controlPort: taken })).rejects.toThrow('EADDRINUSE')
  await expect(startSimulator({ port: taken })).rejects.toThrow('EADDRINUSE')
})
