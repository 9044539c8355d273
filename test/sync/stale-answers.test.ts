import { expect, it } from 'vitest'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { ending, everyRow, live, synced } from '../support/sync-queries.ts'

type Replayed = Record<string, unknown>

/** As a cache does: from now on each page of a resource gets its first answer again, byte for byte. */
function cache(test: Awaited<ReturnType<typeof synced>>, resource: ResourceName, odd: { meta?: object } = {}) {
  const kept = new Map<string, Replayed>()
  const transform = (sent: object): object => {
    const envelope = { ...sent, ...(odd.meta && { meta: { ...(sent as { meta: object }).meta, ...odd.meta } }) }
    const records = [(envelope as { data: object | object[] }).data].flat()
    const key = records
      .map((record) => String(Object.values(record)[0]))
      .sort()
      .join()
    const known = kept.get(key)
    if (known !== undefined) return structuredClone(known)
    kept.set(key, structuredClone(envelope) as Replayed)
    return envelope
  }
  test.sim.faults.add({ path: `/api/public/${resource}`, effect: { kind: 'transform', transform } })
}

const freshness = (test: Awaited<ReturnType<typeof synced>>) =>
  test.query(
    'select resource, complete_started_at, full_success_at, incremental_success_at from sync_states order by resource',
  )

it.each(resourceNames)(
  'a cache that replays %s fails its runs as stale_answer and renews nothing',
  async (resource) => {
    const test = await synced()
    cache(test, resource)
    expect(ending(await test.run(resource, 'full'))).toBe('success')
    const [rows, fresh] = [everyRow(test), freshness(test)]
    for (let run = 0; run < 3; run++) {
      test.clock.advance(5 * minuteMs)
      expect(ending(await test.run(resource, 'full'))).toBe('stale_answer')
    }
    expect(everyRow(test)).toEqual(rows)
    expect(freshness(test)).toEqual(fresh)
  },
)

it('an answer that a cache has held for longer than 300 s is stale', async () => {
  const test = await synced()
  const envelope = { data: [], pagination: null, error: null, meta: { requestId: null, timestamp: null } }
  const body = JSON.stringify(envelope)
  const aged = (age: string) => ({ kind: 'body', body, status: 200, headers: { age } }) as const
  const fault = test.sim.faults.add({ path: '/api/public/permissions', effect: aged('301') })
  expect(ending(await test.run('permissions'))).toBe('stale_answer')
  expect(live(test, 'permissions')).toBeGreaterThan(0)
  test.sim.faults.remove(fault.id)
  test.sim.faults.add({ path: '/api/public/permissions', effect: aged('300') })
  expect(ending(await test.run('permissions'))).toBe('success')
})

it('a full sync of which one page was old begins again', async () => {
  const test = await synced()
  const old = test.sim.faults.add({ path: '/api/public/users', page: 2, effect: { kind: 'clock-skew', ms: -hourMs } })
  expect(ending(await test.run('users', 'full'))).toBe('stale_answer')
  expect(test.query('select * from full_syncs')).toEqual([])
  test.sim.faults.remove(old.id)
  expect(ending(await test.run('users', 'full'))).toBe('success')
})

it('a page over 300 s older than any before it is old, not only than the last one', async () => {
  const test = await synced()
  test.clock.jump(-9 * hourMs)
  await test.restart()
  for (const page of [2, 3]) {
    const effect = { kind: 'clock-skew', ms: (1 - page) * 200_000 } as const
    test.sim.faults.add({ path: '/api/public/users', page, effect })
  }
  expect(ending(await test.run('users', 'full'))).toBe('stale_answer')
})

it.each<[string, { meta?: object }]>([
  ['with its time', {}],
  ['without a readable time', { meta: { timestamp: 'soon' } }],
])(
  'the last complete full sync is no later answer %s, either, to a process that does not know its ids',
  async (_, odd) => {
    const test = await synced()
    test.clock.jump(-9 * hourMs)
    cache(test, 'api-clients', odd)
    expect(ending(await test.run('api-clients'))).toBe('success')
    test.clock.advance(minuteMs)
    await test.restart()
    expect(ending(await test.run('api-clients'))).toBe('stale_answer')
  },
)

it('an old denial removes no missing user', async () => {
  const test = await synced()
  let left = 1
  test.sim.primary.users.removeWhere(() => left-- > 0)
  test.sim.faults.add({ path: '/api/public/users/{id}', effect: { kind: 'clock-skew', ms: -hourMs } })
  expect(ending(await test.run('users', 'full'))).toBe('stale_answer')
  expect(live(test, 'users')).toBe(60)
  test.sim.faults.clear()
  await test.run('users', 'full')
  expect(live(test, 'users')).toBe(59)
})

it.each([null, '01.03.2026 13:00:00', 1_772_366_400])(
  'a server time of %j is an event each run, and no time is stored',
  async (value) => {
    const test = await synced()
    test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'set', path: 'meta.timestamp', value } })
    expect([ending(await test.run('roles')), ending(await test.run('roles'))]).toEqual(['success', 'success'])
    expect(test.observed.events.filter((event) => event === 'roles unreadable_time')).toHaveLength(2)
    expect(test.query("select server_time from sync_states where resource = 'roles'")).toEqual([{ server_time: null }])
    expect(test.client.answerTimes.skewMs('roles')).toBeNull()
  },
)
