import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { startTime, synced } from './support/cli.ts'
import { happen, iso, prng, type Reported, small, timed } from './support/timed-world.ts'

it('keeps rows that are still valid when older rows are erased, and reports that earlier times are gone', async () => {
  const world = await timed('history: { retentionDays: 3 }', [{ name: 'acme' }])
  const random = prng(7)
  const reported: Reported[] = []
  for (let step = 0; step < 10; step++) {
    if (step % 3 === 0) happen(world, random)
    await world.run('sync', '--full')
    world.pass(12 * hourMs)
    reported.push(await world.report())
    world.pass(minuteMs)
  }
  await world.run('sync', '--full')
  const kept = reported.filter(({ at }) => at >= world.now() - 72 * hourMs)
  expect(kept.length).toBeGreaterThan(4)
  expect(kept.length).toBeLessThan(9)
  for (const one of kept) expect(await world.reportAgain(one)).toEqual(one)
  const gone = await world.run('report', '--as-of', iso(reported[0]?.at ?? 0))
  expect(gone).toEqual({
    code: 2,
    stdout: '',
    stderr: `tenantwatch: The history from before ${iso(world.now() - 72 * hourMs)} is erased: history.retentionDays has passed; what was true then is unknown\n`,
  })
  const erased = 'is erased: history.retentionDays has passed'
  const lost = await world.run('history', '--until', iso(reported[0]?.at ?? 0))
  expect(lost).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(erased) })
  const known = await world.run('history', '--since', iso(reported[0]?.at ?? 0))
  expect(known).toMatchObject({ code: 0, stderr: expect.stringContaining(`${erased}; changes before that time are`) })
})

it('reproduces the past state of waivers and holds: agreed, lapsed, renewed, expired, removed; raised, released', async () => {
  const world = await timed('', [{ name: 'acme' }])
  const { primary } = world.simulator
  const base = world.read('tenantwatch.yaml')
  const { clientId = '' } = primary.addApiClient({ secretExpirationDate: '2026-02-01T00:00:00Z' })
  const waive = (reason: string, expires: string) =>
    world.write(
      'tenantwatch.yaml',
      `${base}waivers: [{ id: w, check: api-client-secret-not-expired, entity: ${clientId}, tenant: acme, owner: ann, reason: ${reason}, expires: ${expires} }]\n`,
    )
  const reported: Reported[] = []
  const step = async (deed: () => void, wait = hourMs) => {
    deed()
    await world.run('sync', '--full')
    world.pass(wait)
    reported.push(await world.report())
    world.pass(minuteMs)
  }
  await step(() => {})
  await step(() => waive('The vendor renews it next week', '2026-03-20'))
  await step(() => void primary.updateApiClient(clientId, { secretExpirationDate: '2026-02-02T00:00:00Z' }))
  await step(() => waive('The vendor renews it in two weeks', '2026-03-01'))
  await step(() => void primary.removeUsers(({ userId }) => userId % 2 === 0))
  await step(() => {}, 20 * hourMs)
  await step(() => void primary.removeApiClient(clientId))
  await step(() => world.write('tenantwatch.yaml', base))
  const states = reported.map(({ documents }) => {
    const [tenant] = (JSON.parse(documents[0] ?? '') as Standing).tenants
    return [tenant?.waivers[0]?.state, tenant?.waivers[0]?.lapsed, tenant?.holds[0]?.reason]
  })
  expect(states).toEqual([
    [undefined, undefined, undefined],
    ['active', 0, undefined],
    ['lapsed', 1, undefined],
    ['active', 0, undefined],
    ['active', 0, 'shrink_held'],
    ['expired', 0, 'shrink_held'],
    ['expired', 0, 'shrink_held'],
    [undefined, undefined, 'shrink_held'],
  ])
  await world.run('sync', '--full')
  for (const one of reported) expect(await world.reportAgain(one)).toEqual(one)
})

interface Standing {
  readonly tenants: readonly {
    readonly waivers: readonly { readonly state: string; readonly lapsed: number }[]
    readonly holds: readonly { readonly reason: string }[]
  }[]
}

interface Document {
  readonly notes: readonly string[]
  readonly tenants: readonly {
    readonly openTotal: number
    readonly findings: readonly object[]
    readonly checks: readonly { readonly standing: string }[]
  }[]
}

it('never takes an earlier state for the present one after the clock was set back', async () => {
  const world = await timed('', [{ name: 'acme' }])
  const { primary } = world.simulator
  const read = async (...args: string[]) =>
    JSON.parse((await world.run('report', '--format', 'json', ...args)).stdout) as Document
  for (const { userId } of [...world.simulator.state().users()]) primary.updateUser(userId, { mfaStatus: true })
  await world.run('sync')
  world.pass(hourMs)
  const before = await world.report()
  const calm = await read()
  world.pass(hourMs)
  const [user] = [...world.simulator.state().users()]
  primary.updateUser(user?.userId ?? 0, { mfaStatus: false })
  await world.run('sync', '--full')
  const failing = await read()
  expect(failing.tenants[0]?.openTotal).toBe((calm.tenants[0]?.openTotal ?? 0) + 1)
  world.pass(-90 * minuteMs)
  await world.run('sync', '--full')
  const now = await read()
  expect(now.tenants[0]?.openTotal).toBe(failing.tenants[0]?.openTotal)
  expect(now.tenants[0]?.findings.length).toBe(failing.tenants[0]?.findings.length)
  const second = await world.report()
  world.pass(3 * hourMs)
  await world.run('sync', '--full')
  expect(await world.reportAgain(second)).toEqual(second)
  const early = await read('--as-of', iso(startTime + 10 * minuteMs))
  expect(early.tenants[0]?.openTotal).toBe(calm.tenants[0]?.openTotal)
  expect(before.at).toBeGreaterThan(second.at)
})

it('forgets no history for a clock that began years behind', async () => {
  let server = startTime
  const world = await timed('', [{ name: 'acme' }], { ...small, clock: () => server })
  await world.run('sync')
  world.pass(hourMs)
  const reported = await world.report()
  world.pass(hourMs)
  server += 2 * hourMs
  const years = 40 * 365 * 24 * hourMs
  world.pass(-years)
  await world.run('sync')
  world.pass(years + minuteMs)
  world.simulator.primary.setSettings({ mfaEnabled: false })
  await world.run('sync', '--full')
  expect(await world.reportAgain(reported)).toEqual(reported)
})

it('keeps record and history through a clock that is years ahead for a while, also from the very first on', async () => {
  let server = startTime
  const world = await timed('', [{ name: 'acme' }], { ...small, clock: () => server })
  const pass = (ms: number) => {
    server += ms
    world.pass(ms)
  }
  const ahead = async () => {
    const years = 5 * 365 * 24 * hourMs
    world.pass(years)
    expect(await world.run('sync')).toMatchObject({ code: 0 })
    world.pass(-years)
    pass(minuteMs)
    await world.run('sync', '--full')
    pass(minuteMs)
  }
  await ahead()
  const reported = await world.report()
  expect(reported.documents[0]).toContain('"standing": "pass"')
  expect(reported.documents[0]).toContain('"historyBegins": "2026-03-01T12:01:00.000Z"')
  pass(hourMs)
  world.simulator.primary.setSettings({ mfaEnabled: false })
  await world.run('sync', '--full')
  const { stdout } = await world.run('history')
  expect(stdout).toContain('mfaEnabled true -> false')
  pass(hourMs)
  await ahead()
  expect((await world.run('history')).stdout).toContain(stdout)
  expect(await world.reportAgain(reported)).toEqual(reported)
})

it('lets a check result that nobody confirmed fade, also of times long past', async () => {
  const world = await timed('', [{ name: 'acme' }])
  await world.run('sync')
  world.pass(30 * minuteMs)
  const silent = await world.report()
  expect(silent.documents[0]).not.toContain('"standing": "pass"')
  world.pass(minuteMs)
  await world.run('sync', '--full')
  const fresh = JSON.parse((await world.run('report', '--format', 'json')).stdout) as Document
  expect(fresh.tenants[0]?.checks.some(({ standing }) => standing === 'pass')).toBe(true)
  world.pass(minuteMs)
  expect(await world.reportAgain(silent)).toEqual(silent)
})

it('refuses a time before the record, a future time and an invalid time, each with its reason', async () => {
  const world = await synced({ simulator: small })
  const { run } = world
  expect(await run('report', '--as-of', '2026-02-01')).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: There is no history from before 2026-03-01T12:00:00.000Z; what was true then is unknown\n',
  })
  expect(await run('report', '--as-of', '2026-03-02')).toMatchObject({
    code: 2,
    stderr:
      'tenantwatch: 2026-03-02 of --as-of means the end of that day, which is in the future; without --as-of the report shows the current state\n',
  })
  expect(await run('report', '--as-of', '2026-03-01T18:00:00Z')).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: The time of --as-of is in the future; without --as-of the report shows the current state\n',
  })
  expect(await run('report', '--as-of', 'yesterday')).toMatchObject({
    code: 2,
    stderr:
      'tenantwatch: Invalid value of --as-of "yesterday": expected a time such as 2026-03-31, 2026-03-31T18:00:00Z or 30d\n',
  })
  expect(await run('report', '--tenant', 'nobody')).toMatchObject({
    code: 2,
    stderr: 'tenantwatch: Unknown tenant "nobody": expected one of acme\n',
  })
})
