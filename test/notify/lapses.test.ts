import { expect, it } from 'vitest'
import { readFindings } from '../../src/evaluate/findings/read-findings.ts'
import { minuteMs } from '../../src/model/time.ts'
import { readNews } from '../../src/notify/read-news.ts'
import { settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from '../evaluate/support/sqlite-world.ts'
import { posture, unread } from '../metrics/support/posture.ts'
import { findingOf } from '../store/support/results.ts'
import { notifyWorld, target } from './support/world.ts'

async function news(world: Awaited<ReturnType<typeof sqliteWorld>>, after: number) {
  const { mirror, tenantId } = world
  const views = {
    posture: async () => [await world.posture()],
    findings: (query: object) => readFindings({ store: mirror, waivers: world.waivers, now: world.now, ...query }),
  }
  const request = { store: mirror, views, tenantId, tenant: 'acme', target: target({ on: ['opened'] }), pageUrl: null }
  const { items } = await readNews(request, after, await mirror.lastEventId(tenantId))
  return items.map(({ label, text }) => `${label}: ${text}`)
}

async function waived(over: Parameters<typeof waiver>[0] = {}) {
  const world = await sqliteWorld()
  await world.sync({ 'authentication-settings': [settings()], users: [user({ mfaStatus: false })] })
  world.waivers = [waiver(over)]
  await world.evaluate()
  return world
}

it('says of no finding that it is no longer waived whose waiver ended long before', async () => {
  const world = await waived({ expiresMs: Date.parse('2026-01-01') + 365 * 864e5 })
  // The operator takes the waiver out of the configuration; the finding is open, and told on the page as such.
  world.waivers = []
  await world.evaluate()
  expect((await world.findings('user-mfa-enrolled')).map(({ state }) => state)).toEqual(['open'])
  const before = await world.mirror.lastEventId(world.tenantId)
  // Later the user gets another role: a change that is no news of an unwaived finding.
  await world.sync({ users: [user({ mfaStatus: false, roleName: 'Other' })] })
  await world.evaluate()
  expect(await news(world, before)).toEqual([])
})

it('says of no resolved finding that it is no longer waived, after another tenant is accepted', async () => {
  const world = await waived()
  await world.sync({ users: [user()] })
  await world.evaluate()
  expect((await world.findings('user-mfa-enrolled', ['resolved'])).map(({ state }) => state)).toEqual(['resolved'])
  const before = await world.mirror.lastEventId(world.tenantId)
  const { mirror, tenantId } = world
  const raised = { tenantId, resource: 'all', reason: 'tenant_changed', count: 2, message: '', cause: {} } as const
  const { id: holdId } = await mirror.raiseHold({ ...raised, at: world.now })
  await mirror.decide({ holdId, reason: 'We moved', at: world.now })
  await mirror.applyDecision(holdId, { tenantId, at: world.now, coversKnown: true })
  expect(await news(world, before)).toEqual([])
})

it('sends a new target no history, also where a resource was just switched on', async () => {
  const world = await notifyWorld()
  await world.result([findingOf(1)])
  // One reload adds the target and switches documents on: of this tenant, which is synced for months, one list is unread.
  world.posture = posture({
    resources: [...posture().resources.filter(({ resource }) => resource !== 'documents'), unread('documents')],
  })
  const lane = world.lane()
  await lane.begin({ settings: { name: 'acme' }, engine: { tenantId: world.id }, store: world.mirror })
  world.posture = posture()
  world.clock.advance(minuteMs)
  lane.evaluated('acme')
  await world.settled()
  expect(world.asked.map(({ title }) => title)).toEqual([])
})
