import { expect, it } from 'vitest'
import { type Simulator, startSimulator } from '../../src/simulator/index.ts'
import { call, start } from './support.ts'

async function ask(simulator: Simulator, method: string, path: string, json?: unknown) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(`${simulator.controlUrl}${path}`, { method, ...body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

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

it('can be started without control, and refuses a port that is taken', async () => {
  const simulator = await start()
  expect(simulator.controlUrl).toBeNull()
  const taken = Number(new URL(simulator.baseUrl).port)
  await expect(startSimulator({ controlPort: taken })).rejects.toThrow('EADDRINUSE')
  await expect(startSimulator({ port: taken })).rejects.toThrow('EADDRINUSE')
})
