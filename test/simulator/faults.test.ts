import { expect, it } from 'vitest'
import type { FaultEffect, Simulator } from '../../src/simulator/index.ts'
import { call, code, fullSync, records, start } from './support.ts'

function headers(simulator: Simulator) {
  return { authorization: `Bearer ${simulator.tokens.reader}` }
}

function roles(simulator: Simulator): Promise<Response> {
  return fetch(`${simulator.baseUrl}/api/public/roles`, { headers: headers(simulator), redirect: 'manual' })
}

async function startWith(effect: FaultEffect): Promise<Simulator> {
  const simulator = await start()
  simulator.faults.add({ effect })
  return simulator
}

it('answers with a status, a code and headers of the fault', async () => {
  const simulator = await startWith({ kind: 'status', status: 429, headers: { 'retry-after': '7' } })
  const answer = await call(simulator, '/roles')
  expect([answer.status, code(answer), answer.headers.get('retry-after')]).toEqual([429, 'TOO_MANY_REQUESTS', '7'])
})

it('meets only the requests its matcher names, and counts them', async () => {
  const simulator = await start()
  const fail: FaultEffect = { kind: 'status', status: 500 }
  const byToken = simulator.faults.add({ token: 'creator', effect: fail })
  const byPage = simulator.faults.add({ path: '/api/public/users', page: 3, effect: fail })
  const byTemplate = simulator.faults.add({ path: '/api/public/users/{id}', effect: fail })
  const byPrefix = simulator.faults.add({ path: '/api/public/perm*', effect: fail })
  const byCursor = simulator.faults.add({ path: '/api/public/documents', hasCursor: true, effect: fail })
  const byTenant = simulator.faults.add({ tenant: 'second', effect: fail })
  const status = async (path: string, token?: 'creator' | 'secondReader') =>
    (await call(simulator, path, token === undefined ? {} : { token })).status

  expect([await status('/roles'), await status('/roles', 'creator')]).toEqual([200, 500])
  expect((await fullSync(simulator, '/users').catch(() => null))?.answers.map((one) => one.status)).toEqual([
    200, 200, 500,
  ])
  expect([await status('/users/1001'), await status('/users')]).toEqual([500, 200])
  expect(await status('/permissions')).toBe(500)
  expect([await status('/documents'), await status('/documents?cursor=x')]).toEqual([200, 500])
  expect(await status('/roles', 'secondReader')).toBe(500)
  for (const { id } of [byToken, byPage, byTemplate, byPrefix, byCursor, byTenant]) {
    expect([id, simulator.faults.get(id)?.hits]).toEqual([id, 1])
    expect(simulator.faults.remove(id)).toBe(true)
  }
  expect(await status('/permissions')).toBe(200)
  expect(simulator.faults.list()).toEqual([])
})

it('applies to the n-th request, the first few, or a seeded share', async () => {
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
  simulator.faults.clear()
  const share = simulator.faults.add({ probability: 0.5, effect: { kind: 'status', status: 503 } })
  const failed = (await statuses(40)).filter((status) => status === 503).length
  expect(failed).toBeGreaterThan(8)
  expect(failed).toBeLessThan(32)
  expect([share.matched, share.hits]).toEqual([40, failed])
})

for (const effect of [
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'unanswered' },
  { kind: 'reset', when: 'mid' },
  { kind: 'truncate', framing: 'content-length' },
  { kind: 'truncate', framing: 'chunked' },
  { kind: 'raw', bytes: 'HELLO 200 what\r\n\r\n' },
] as const satisfies readonly FaultEffect[]) {
  it(`breaks the answer so that the caller notices (${JSON.stringify(effect)})`, async () => {
    const simulator = await startWith(effect)
    await expect(roles(simulator).then((response) => response.text())).rejects.toThrow()
    expect((await simulator.requests.waitFor(({ done }) => done)).status).toBeNull()
  })
}

it('reshapes the envelope by function, merge patch and path', async () => {
  const simulator = await start()
  simulator.faults.add({ effect: { kind: 'transform', transform: ({ data }) => ({ data, odd: true }) } })
  expect(Object.keys((await call(simulator, '/roles')).body)).toEqual(['data', 'odd'])
  simulator.faults.clear()
  simulator.faults.add({
    effect: { kind: 'merge', patch: { meta: { requestId: null }, pagination: { hasMore: 'false' } } },
  })
  const merged = (await call(simulator, '/users')).body
  expect(merged.pagination).toMatchObject({ limit: 50, hasMore: 'false' })
  expect(Object.keys(merged.meta)).toEqual(['timestamp'])
  simulator.faults.clear()
  simulator.faults.add({ effect: { kind: 'set', path: 'pagination.nextCursor', value: null } })
  expect((await call(simulator, '/users')).body.pagination).toEqual({ limit: 50, nextCursor: null, hasMore: true })
})

it('empties a page of API clients, which the specification allows', async () => {
  const simulator = await startWith({ kind: 'empty' })
  expect((await call(simulator, '/api-clients')).body).toMatchObject({
    data: [],
    pagination: { nextCursor: null, hasMore: false },
    error: null,
  })
  expect((await call(simulator, '/roles')).body).toMatchObject({ data: [], pagination: null })
})

it('repeats the previous page, repeats the cursor, or ignores it', async () => {
  const simulator = await start()
  const fault = simulator.faults.add({ page: 2, effect: { kind: 'repeat-page' } })
  const { answers } = await fullSync(simulator, '/users')
  const pages = answers.map(records)
  expect(pages[1]).toEqual(pages[0])
  expect(pages[2]).not.toEqual(pages[0])
  simulator.faults.remove(fault.id)

  const cursor = (await call(simulator, '/users')).body.pagination?.nextCursor
  simulator.faults.add({ hasCursor: true, effect: { kind: 'repeat-cursor' } })
  expect((await call(simulator, `/users?cursor=${cursor}`)).body.pagination).toMatchObject({
    nextCursor: cursor,
    hasMore: true,
  })
  simulator.faults.clear()

  simulator.faults.add({ effect: { kind: 'ignore-cursor' } })
  expect(records(await call(simulator, `/users?cursor=${cursor}`))).toEqual(pages[0])
})

it('patches every record, gives one twice and leaves some out', async () => {
  const simulator = await startWith({ kind: 'patch-records', patch: { createdAt: '9999-12-31T23:59:59Z' } })
  const dates = records(await call(simulator, '/users')).map((user) => user['createdAt'])
  expect(new Set(dates)).toEqual(new Set(['9999-12-31T23:59:59Z']))
  simulator.faults.clear()
  simulator.faults.add({ effect: { kind: 'duplicate', patch: { mfaStatus: 'twice' } } })
  const twice = records(await call(simulator, '/users'))
  expect([twice.at(-1)?.['userId'], twice.at(-1)?.['mfaStatus']]).toEqual([twice[0]?.['userId'], 'twice'])
  simulator.faults.clear()
  const first = Number(twice[0]?.['userId'])
  simulator.faults.add({ effect: { kind: 'drop', ids: [first] } })
  expect(records(await call(simulator, '/users')).map((user) => user['userId'])).not.toContain(first)
})
