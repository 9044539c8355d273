import { expect, it } from 'vitest'
import { hourMs, minuteMs } from '../../src/model/durations.ts'

import { synced } from './support/cli.ts'
import { type Reported, small, timed } from './support/timed-world.ts'

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

it('refuses a time before the record, a future time and an invalid time, each with its reason', async () => {
  const world = await synced({ simulator: small })
  const { run } = world
  expect(await run('report', '--as-of', '2026-02-01')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/ from before 2026-03-01T12:00:00.000Z.*Give 2026-03-01T12:00:00.000Z or later/),
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
