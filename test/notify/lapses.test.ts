import { expect, it } from 'vitest'
import { readFindings } from '../../src/evaluate/findings/read-findings.ts'
import { readNews } from '../../src/notify/read-news.ts'
import { settings, user } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from '../evaluate/support/sqlite-world.ts'
import { target } from './support/world.ts'

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

it('says of no finding that it is no longer waived whose waiver had ended, or that is resolved', async () => {
  const world = await sqliteWorld()
  const { mirror, tenantId } = world
  const unenrolled = user({ mfaStatus: false })
  await world.sync({ 'authentication-settings': [settings()], users: [unenrolled] })
  for (const waivers of [[waiver()], []]) {
    world.waivers = waivers
    await world.evaluate()
  }
  const before = await mirror.lastEventId(tenantId)
  await world.sync({ users: [{ ...unenrolled, roleName: 'Other' }] })
  await world.evaluate()
  await world.sync({ users: [user()] })
  await world.evaluate()
  const raised = { tenantId, resource: 'all', reason: 'tenant_changed', count: 2, message: '', cause: {} } as const
  const { id: holdId } = await mirror.raiseHold({ ...raised, at: world.now })
  await mirror.decide({ holdId, reason: 'We moved', at: world.now })
  await mirror.applyDecision(holdId, { tenantId, at: world.now, coversKnown: true })
  expect(await news(world, before)).toEqual([])
})

it('says that a finding is no longer waived whose waiver came back, if its facts changed meanwhile', async () => {
  const world = await sqliteWorld()
  await world.sync({ 'authentication-settings': [settings()], users: [user({ mfaStatus: false })] })
  for (const waivers of [[waiver()], []]) {
    world.waivers = waivers
    await world.evaluate()
  }
  world.waivers = [waiver()]
  const before = await world.mirror.lastEventId(world.tenantId)
  await world.sync({ users: [user({ mfaStatus: false, roleName: 'Other' })] })
  await world.evaluate()
  expect(await news(world, before)).toHaveLength(1)
})
