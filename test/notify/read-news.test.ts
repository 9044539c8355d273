import { expect, it } from 'vitest'
import type { NotificationSettings } from '../../src/config/settings.ts'
import { readNews } from '../../src/notify/read-news.ts'
import { waiver } from '../evaluate/support/sqlite-world.ts'
import { check as checkView, posture } from '../metrics/support/posture.ts'
import { check, findingOf } from '../store/support/results.ts'
import { notifyWorld, target } from './support/world.ts'

type World = Awaited<ReturnType<typeof notifyWorld>>

/** What a target is told about everything after an event. */
async function newsOf(world: World, over: Partial<NotificationSettings> = {}, after = 0) {
  const { mirror, id, views } = world
  const request = { store: mirror, views, tenantId: id, tenant: 'acme', target: target(over), pageUrl: null }
  return await readNews(request, after, await mirror.lastEventId(id))
}

const labels = ({ items }: Awaited<ReturnType<typeof newsOf>>) =>
  items.map(({ label, severity, fingerprint }) => `${label} ${severity} ${fingerprint}`)

it('tells what opened, was reopened and was resolved, in order', async () => {
  const world = await notifyWorld()
  await world.result([findingOf(1), findingOf(2)])
  await world.result([findingOf(2)])
  await world.result([findingOf(1), findingOf(2)])
  expect(labels(await newsOf(world))).toEqual([
    'opened high f1',
    'opened high f2',
    'resolved (fixed) high f1',
    'reopened high f1',
  ])
  expect(labels(await newsOf(world, { on: ['resolved'] }))).toEqual(['resolved (fixed) high f1'])
  expect((await newsOf(world, { checks: ['auth-sso-enforced'] })).found).toBe(0)
  world.owners = [{ name: 'platform', check, tenant: 'acme' }]
  expect((await newsOf(world, { owners: ['platform'] })).found).toBe(4)
  expect((await newsOf(world, { owners: ['hr'] })).found).toBe(0)
})

it('tells when a finding rises to the severity of the target or falls below it, and no other change', async () => {
  const world = await notifyWorld()
  const medium = findingOf(1, { severity: 'medium' })
  await world.result([medium])
  await world.result([{ ...medium, message: 'Another sentence.' }])
  await world.result([findingOf(1)])
  await world.result([medium])
  await world.result([])
  expect(labels(await newsOf(world, { minSeverity: 'high' }))).toEqual([
    'severity changed high f1',
    'severity changed medium f1',
  ])
})

it('is silent about a waived finding until the waiver lapses', async () => {
  const world = await notifyWorld()
  world.waivers = [waiver({ check, entity: '1', expiresMs: world.clock.now() + 1e9 })]
  await world.result([findingOf(1)])
  expect((await newsOf(world)).found).toBe(0)
  world.waivers = []
  await world.event('waiver.lapsed', 'f1', {})
  const lapse = await world.mirror.lastEventId(world.id)
  expect(labels(await newsOf(world, {}, lapse - 1))).toEqual(['no longer waived high f1'])
})

it('folds a flood of findings, the highest severities first', async () => {
  const world = await notifyWorld()
  const low = Array.from({ length: 700 }, (_, i) => findingOf(i, { severity: 'low' }))
  await world.result([...low, findingOf('x', { severity: 'critical' })])
  const news = await newsOf(world)
  expect(news).toMatchObject({ found: 701, counts: new Map([['opened', 701]]) })
  expect(news.items).toHaveLength(10)
  expect(labels(news)).toContain('opened critical fx')
})

it('names the checks that became unknown by reason, and those that are no longer', async () => {
  const world = await notifyWorld()
  world.posture = posture({ checks: [checkView('a'), checkView('b'), checkView('minor', { severities: ['low'] })] })
  for (const id of ['a', 'b', 'minor']) await world.status(id, 'unknown', 'never')
  const first = await newsOf(world)
  expect(first.found).toBe(0)
  for (const id of ['a', 'b', 'minor']) await world.status(id, 'unknown', 'unauthorized')
  await world.status('a', 'unknown', 'stale')
  await world.status('b', 'fail')
  const { items, counts } = await newsOf(world, { minSeverity: 'high' })
  expect(items.map(({ label, text }) => `${label} ${text.replace(/:.*/, '')}`)).toEqual([
    'unknown a, b (unauthorized',
    'no longer unknown b',
  ])
  expect(counts).toEqual(
    new Map([
      ['unknown', 2],
      ['no longer unknown', 1],
    ]),
  )
})

it('tells last of a check what it is now, also if it was never read in between', async () => {
  const world = await notifyWorld()
  world.posture = posture({ checks: [checkView('a'), checkView('b')] })
  await world.status('a', 'unknown', 'tenant_changed')
  await world.status('a', 'unknown', 'never')
  await world.status('a', 'pass')
  await world.status('b', 'unknown', 'tenant_changed')
  const { items } = await newsOf(world)
  const told = items.map(({ label, text }) => `${label} ${text.replace(/ .*/, '')}`)
  expect(told).toEqual(['unknown a', 'no longer unknown a', 'unknown b'])
})

it('tells that a hold was raised, with how to decide, and that it ended, but not that its records changed', async () => {
  const world = await notifyWorld()
  const hold = { id: 'h1', resource: 'users', reason: 'shrink_held', count: 9, message: 'Held', raisedAt: 1 } as const
  world.posture = posture({ holds: [{ ...hold, effect: 'Accepting removes 9 records' }] })
  await world.holds(hold)
  await world.holds({ ...hold, id: 'h2', count: 10 })
  await world.holds()
  const { items } = await newsOf(world)
  expect(items.map(({ label, text }) => `${label} ${/tenantwatch accept h1 --count 9|h2/.exec(text)?.[0]}`)).toEqual([
    'on hold tenantwatch accept h1 --count 9',
    'on hold h2',
    'hold ended h2',
  ])
})

it('tells last what is so now, and findings, however often checks, holds and findings changed', async () => {
  const world = await notifyWorld()
  world.posture = posture({ checks: [checkView('a')] })
  await world.status('a', 'pass')
  for (let i = 0; i < 6; i++) {
    await world.status('a', i % 2 ? 'pass' : 'unknown', i % 2 ? undefined : 'unauthorized')
    await world.holds({ id: `h${i}`, resource: 'users', reason: 'shrink_held', count: i, message: 'Held', raisedAt: 1 })
    await world.result(i % 2 ? [findingOf(2)] : [findingOf(2), findingOf(1, { severity: 'low' })])
  }
  const { items } = await newsOf(world)
  expect(items[0]).toMatchObject({ label: 'opened', fingerprint: 'f2' })
  const last = items.slice(-3).map(({ label, text }) => `${label} ${/^a$|h\d/.exec(text)?.[0]}`)
  expect(last).toEqual(['no longer unknown a', 'on hold h5', 'resolved (fixed) undefined'])
})

it('hides what may name a file or a person unless the target may have it', async () => {
  const world = await notifyWorld()
  const named = findingOf('canary.pdf', {
    fingerprint: 'f1',
    entityType: 'document-name',
    message: 'Stored twice, by me@canary.example',
  })
  await world.result([named])
  const textWith = async (exposeDetails: boolean) => JSON.stringify((await newsOf(world, { exposeDetails })).items)
  expect(await textWith(false)).not.toContain('canary')
  expect(await textWith(true)).toContain('canary.pdf')
})
