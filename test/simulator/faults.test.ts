import { expect, it } from 'vitest'
import type { FaultEffect, Simulator } from '../../src/simulator/index.ts'
import { call, fullSync, records, start, startOnSockets } from './support.ts'

function headers(simulator: Simulator) {
  return { authorization: `Bearer ${simulator.tokens.reader}` }
}

function roles(simulator: Simulator): Promise<Response> {
  return fetch(`${simulator.baseUrl}/api/public/roles`, { headers: headers(simulator), redirect: 'manual' })
}

async function startWith(effect: FaultEffect): Promise<Simulator> {
  const simulator = await startOnSockets({ controlPort: null })
  simulator.faults.add({ effect })
  return simulator
}

it('meets only the requests its matcher names, and counts them', async () => {
  const simulator = await start()
  const fail: FaultEffect = { kind: 'status', status: 500 }
  const byPage = simulator.faults.add({ path: '/api/public/users', page: 3, effect: fail })
  const byTemplate = simulator.faults.add({ path: '/api/public/users/{id}', effect: fail })
  const byPrefix = simulator.faults.add({ path: '/api/public/perm*', effect: fail })
  const byCursor = simulator.faults.add({ path: '/api/public/documents', hasCursor: true, effect: fail })
  const byTenant = simulator.faults.add({ tenant: 'second', effect: fail })
  const status = async (path: string, token?: 'secondReader') =>
    (await call(simulator, path, token === undefined ? {} : { token })).status

  expect(await status('/roles')).toBe(200)
  expect((await fullSync(simulator, '/users').catch(() => null))?.answers.map((one) => one.status)).toEqual([
    200, 200, 500,
  ])
  expect([await status('/users/1001'), await status('/users')]).toEqual([500, 200])
  expect(await status('/permissions')).toBe(500)
  expect([await status('/documents'), await status('/documents?cursor=x')]).toEqual([200, 500])
  expect(await status('/roles', 'secondReader')).toBe(500)
  for (const { id } of [byPage, byTemplate, byPrefix, byCursor, byTenant]) {
    expect([id, simulator.faults.list().find((fault) => fault.id === id)?.hits]).toEqual([id, 1])
    expect(simulator.faults.remove(id)).toBe(true)
  }
  expect(await status('/permissions')).toBe(200)
  expect(simulator.faults.list()).toEqual([])
})

it('applies to the n-th request or the first few', async () => {
  const simulator = await start()
  const statuses = async (count: number) => {
    const all: number[] = []
    for (let n = 0; n < count; n++) all.push((await call(simulator, '/roles')).status)
    return all
  }
  simulator.faults.add({ nth: 2, effect: { kind: 'status', status: 503 } })
  expect(await statuses(3)).toEqual([200, 503, 200])
  simulator.faults.clear()
  simulator.faults.add({ times: 2, effect: { kind: 'status', status: 503 } })
  expect(await statuses(3)).toEqual([503, 503, 200])
})

for (const effect of [
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'unanswered' },
  { kind: 'reset', when: 'mid' },
  { kind: 'raw', bytes: 'HELLO 200 what\r\n\r\n' },
] as const satisfies readonly FaultEffect[]) {
  it(`breaks the answer so that the caller notices (${JSON.stringify(effect)})`, async () => {
    const simulator = await startWith(effect)
    await expect(roles(simulator).then((response) => response.text())).rejects.toThrow()
    expect((await simulator.requests.waitFor(({ done }) => done)).status).toBeNull()
  })
}

it('reshapes the envelope by function and path', async () => {
  const simulator = await start()
  simulator.faults.add({ effect: { kind: 'transform', transform: ({ data }) => ({ data, odd: true }) } })
  expect(Object.keys((await call(simulator, '/roles')).body)).toEqual(['data', 'odd'])
  simulator.faults.clear()
  simulator.faults.add({ effect: { kind: 'set', path: 'pagination.nextCursor', value: null } })
  simulator.faults.add({ effect: { kind: 'set', path: 'meta.requestId' } })
  const { pagination, meta } = (await call(simulator, '/users')).body
  expect(pagination).toEqual({ limit: 50, nextCursor: null, hasMore: true })
  expect(Object.keys(meta)).toEqual(['timestamp'])
})

it('leaves records out of lists, which are still found by their id', async () => {
  const simulator = await start()
  const [first] = simulator.primary.users.all()
  simulator.faults.add({ effect: { kind: 'drop', ids: [Number(first?.userId)] } })
  expect(records(await call(simulator, '/users')).map((user) => user['userId'])).not.toContain(first?.userId)
  expect((await call(simulator, `/users/${first?.userId}`)).status).toBe(200)
})
