import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import { hourMs, minuteMs, secondMs } from '../../src/model/time.ts'
import { posture, resource, unread } from '../metrics/support/posture.ts'
import { commitResult, findingOf, resultOf } from '../store/support/results.ts'
import { notifyWorld, target } from './support/world.ts'

const refused = (retryAt?: number) => new SyncError('server_error', 'POST to the address answered 503', { retryAt })

it('sends one message about the first sync of a tenant, once every resource was tried', async () => {
  const world = await notifyWorld()
  world.posture = posture({ resources: [unread('users')] })
  const lane = world.lane({ minSeverity: 'high' })
  const low = Array.from({ length: 130 }, (_, i) => findingOf(i, { severity: i < 20 ? 'high' : 'low' }))
  await world.result(low)
  lane.evaluated('acme')
  await vi.waitFor(async () => expect(await world.mirror.notificationPosition(world.id, 'security')).toBeDefined())
  world.posture = posture()
  await world.settled(lane)
  expect(world.asked).toMatchObject([{ title: 'acme: 20 opened', items: { length: 10 }, more: 10 }])
  await world.result([...low, findingOf('new')])
  await world.settled(lane)
  expect(world.asked[1]).toMatchObject({ items: [{ label: 'opened', fingerprint: 'fnew' }], more: 0 })
})

it('sends a new target no history', async () => {
  const world = await notifyWorld()
  await world.result([findingOf(1)])
  await world.settled(world.lane())
  expect(world.asked).toEqual([])
})

it('sends no history of a tenant that a reload gives to a target', async () => {
  const world = await notifyWorld()
  const lane = world.lane({ tenants: ['other'] })
  world.clock.advance(hourMs)
  world.posture = posture({ resources: [resource('users', { firstCompleteAt: world.clock.now() })] })
  await world.result([findingOf(1)])
  world.clock.advance(hourMs)
  lane.reconfigure({ ...lane.settings, target: target() })
  await world.settled(lane)
  expect(world.asked).toEqual([])
})

it('tries again with doubled waits, or after the wait that the target states, until it is delivered', async () => {
  const world = await notifyWorld()
  const lane = world.lane()
  await lane.begin({ settings: { name: 'acme' }, engine: { tenantId: world.id }, store: world.mirror })
  await world.result([findingOf(1)])
  const answers = [refused(), refused(), refused(world.clock.now() + 1000 * hourMs), refused()]
  const failing: unknown[] = []
  const before = world.clock.monotonic()
  const times: number[] = []
  world.answer = async () => {
    times.push(world.clock.monotonic() - before)
    failing.push((await world.mirror.failingNotifications()).map(({ target, problem }) => `${target} ${problem}`)[0])
    const error = answers.shift()
    if (error !== undefined) throw error
  }
  await world.settled(lane)
  const waits = times.map((at, i) => Math.round((at - (times[i - 1] ?? 0)) / secondMs))
  // A stated wait counts up to an hour; random halves are 0.5.
  expect(waits.slice(0, 3)).toEqual([10, 8, 15])
  expect(waits[3]).toBe(3600)
  expect(waits[4]).toBe(60)
  expect(new Set(world.asked.map(({ id }) => id)).size).toBe(1)
  expect(world.outcomes).toEqual(['failure', 'failure', 'failure', 'failure', 'success'])
  expect(failing).toEqual([undefined, ...Array(4).fill('security POST to the address answered 503')])
  expect(await world.mirror.failingNotifications()).toEqual([])
})

it('sends a message again, with the same id, after a crash between sending and storing the position', async () => {
  const world = await notifyWorld()
  const store = { ...world.mirror }
  const lane = world.lane({}, store)
  await lane.begin({ settings: { name: 'acme' }, engine: { tenantId: world.id }, store })
  await world.result([findingOf(1)])
  const crashed = Promise.withResolvers<void>()
  const stored = Promise.withResolvers<void>()
  store.saveNotificationPosition = () => {
    crashed.resolve()
    return stored.promise
  }
  lane.evaluated('acme')
  await crashed.promise
  await world.settled(world.lane())
  stored.reject(new SyncError('aborted', 'The process was killed'))
  expect(world.asked).toHaveLength(2)
  expect(world.asked[1]?.id).toBe(world.asked[0]?.id)
  expect(world.asked[1]?.items.map(({ eventId }) => eventId)).toEqual(world.asked[0]?.items.map((one) => one.eventId))
})

it('sends nothing twice in one process when the position cannot be stored', async () => {
  const world = await notifyWorld()
  const store = { ...world.mirror }
  const lane = world.lane({}, store)
  await lane.begin({ settings: { name: 'acme' }, engine: { tenantId: world.id }, store })
  const before = await world.mirror.notificationPosition(world.id, 'security')
  await world.result([findingOf(1)])
  let failures = 3
  store.saveNotificationPosition = async (...position) => {
    if (failures-- > 0) throw new SyncError('store', 'The disk is full')
    await world.mirror.saveNotificationPosition(...position)
  }
  await world.settled(lane)
  expect(world.asked).toHaveLength(1)
  if (before !== undefined) await world.mirror.saveNotificationPosition(world.id, 'security', before)
  await world.settled(lane)
  expect(world.asked).toHaveLength(2)
})

it('writes and counts nothing for a tenant that another replica has taken', async () => {
  const world = await notifyWorld()
  const lost = async () => {
    throw new SyncError('aborted', 'Another replica owns the tenant')
  }
  const asking = vi.fn(lost)
  const lane = world.lane({}, { ...world.mirror, notificationPosition: asking })
  await world.result([findingOf(1)])
  lane.evaluated('acme')
  await vi.waitFor(() => expect(asking).toHaveBeenCalled())
  await lane[Symbol.asyncDispose]()
  expect(world.outcomes).toEqual([])
  expect(await world.mirror.notificationPosition(world.id, 'security')).toBeUndefined()
})

it('sends a digest at its time only, with all that happened since, also after a time without a daemon', async () => {
  const world = await notifyWorld()
  const digest = '0 8 * * *'
  const first = world.lane({ digest })
  await first.begin({ settings: { name: 'acme' }, engine: { tenantId: world.id }, store: world.mirror })
  const open = [findingOf(1)]
  const sentAt: string[] = []
  world.answer = async () => void sentAt.push(new Date(world.clock.now()).toISOString().slice(0, 13))
  await world.result(open)
  world.clock.advance(minuteMs)
  await world.result([...open, findingOf(2)])
  await world.settled(first)
  expect(world.asked.map(({ items }) => items.length)).toEqual([2])
  // Of an evaluation that began before the time of the digest and ended after it.
  const late = resultOf(world.id, Date.UTC(2026, 2, 2, 8) - secondMs, [[findingOf(1), findingOf(2), findingOf(3)]])
  await commitResult(world.mirror, late)
  first.evaluated('acme')
  await world.clock.sleep(minuteMs)
  expect(sentAt).toEqual(['2026-03-02T08'])
  await first[Symbol.asyncDispose]()
  await world.result([])
  world.clock.advance(30 * hourMs)
  await world.settled(world.lane({ digest }))
  expect(sentAt).toEqual(['2026-03-02T08', '2026-03-03T14'])
})
