import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import type { Report } from '../../src/report/build-report.ts'
import { type Decidable, json } from './support/cli.ts'
import { type Reported, timed } from './support/timed-world.ts'

it('reproduces the past state of waivers and holds: agreed, lapsed, renewed, expired, removed; raised, released', async () => {
  const world = await timed('', [{ name: 'acme' }])
  const { primary } = world.simulator
  const base = world.read('tenantwatch.yaml')
  const { clientId = '' } = primary['api-clients'].add({ secretExpirationDate: '2026-02-01T00:00:00Z' })
  const waive = (reason: string, expires: string) =>
    world.write(
      'tenantwatch.yaml',
      `${base}waivers: [{ id: w, check: api-client-secret-not-expired, entity: ${clientId}, tenant: acme, owner: ann, reason: ${reason}, expires: ${expires} }]\n`,
    )
  const reported: Reported[] = []
  const step = async (deed: () => unknown, wait = hourMs) => {
    await deed()
    await world.run('sync', '--full')
    world.pass(wait)
    reported.push(await world.report())
    world.pass(minuteMs)
  }
  await step(() => {})
  await step(() => waive('The vendor renews it next week', '2026-03-20'))
  await step(() => {
    primary['api-clients'].update(clientId, { secretExpirationDate: '2026-02-02T00:00:00Z' })
    for (const { userId } of [...primary.users.all()]) primary.users.update(userId, { lastName: 'Byron' })
  })
  await step(() => waive('The vendor renews it in two weeks', '2026-03-01'))
  await step(() => void primary.users.removeWhere(({ userId }) => userId % 2 === 0))
  await step(() => {}, 20 * hourMs)
  await step(() => void primary['api-clients'].remove(clientId))
  await step(() => world.write('tenantwatch.yaml', base))
  await step(async () => {
    const hold = (await json<Decidable>(world, 'accept')).find(({ kind }) => kind === 'hold')
    await world.run('accept', hold?.id ?? '', '--reason', 'Left with the spin-off', '--by', 'Ada')
  })
  const named = reported.map(({ documents }) => /Byron/.test(documents[0] ?? ''))
  expect(named.slice(0, 3)).toEqual([false, false, true])
  const states = reported.map(({ documents }) => {
    const [tenant] = (JSON.parse(documents[0] ?? '') as Report).tenants
    const [decision] = tenant?.decisions ?? []
    return [tenant?.waivers[0]?.state, tenant?.waivers[0]?.lapsed, tenant?.holds[0]?.reason ?? decision?.reason]
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
    [undefined, undefined, 'Left with the spin-off'],
  ])
  await world.run('sync', '--full')
  for (const one of reported) expect(await world.reportAgain(one)).toEqual(one)
})
