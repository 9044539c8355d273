import { expect, it, onTestFinished, vi } from 'vitest'
import type { NotificationSettings, Settings } from '../../src/config/settings.ts'
import { silentLog } from '../../src/model/log.ts'
import { Notifier } from '../../src/notify/notifier.ts'
import { testServer } from '../api/support/test-server.ts'
import { findingOf } from '../store/support/results.ts'
import { notifyWorld, target } from './support/world.ts'

it('follows the configuration: an address that is corrected at once, a target that is gone not at all', async () => {
  const world = await notifyWorld()
  const server = await testServer((_, response) => void response.end())
  const sent = vi.fn()
  const acme = { settings: { name: 'acme' }, engine: { tenantId: world.id }, store: world.mirror }
  const notifier = new Notifier({
    io: { clock: world.clock, random: () => 0.5, env: { GOOD: server.url, WRONG: 'nowhere' } },
    log: silentLog(),
    metrics: { count: (_, { target: name, outcome }: Readonly<Record<string, string>>, n) => sent(name, outcome, n) },
    tenants: () => new Map([['acme', acme]]),
    views: () => world.views,
  })
  onTestFinished(() => notifier[Symbol.asyncDispose]())
  const follow = (...notifications: readonly NotificationSettings[]) =>
    notifier.follow({ notifications, timezone: 'UTC', server: { externalUrl: null } } as unknown as Settings)
  const to = (env: string) => ({ to: { slack: { env } } })

  await follow(target(to('WRONG')), target({ name: 'gone', ...to('GOOD') }))
  await follow(target(to('WRONG')))
  await world.result([findingOf(1)])
  // The wait after the failure lasts.
  sent.mockImplementation((_, outcome, count) => {
    if (outcome === 'failure' && count > 0) world.clock.hold()
  })
  notifier.evaluated('acme')
  await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('security', 'failure', 1))
  await follow(target(to('GOOD')))
  world.clock.release()
  await world.settled()
  expect(server.requests).toHaveLength(1)
  expect(sent).not.toHaveBeenCalledWith('gone', 'success', 1)
  expect((await world.mirror.notificationPosition(world.id, 'gone'))?.eventId).toBe(1)
})
