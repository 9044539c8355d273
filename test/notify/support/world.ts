import { onTestFinished, vi } from 'vitest'
import type { NotificationSettings, Settings, Waiver } from '../../../src/config/settings.ts'
import { readFindings } from '../../../src/evaluate/findings/read-findings.ts'
import { silentLog } from '../../../src/model/log.ts'
import type { TenantPosture } from '../../../src/model/posture.ts'
import type { Message } from '../../../src/notify/message.ts'
import type { NewsViews } from '../../../src/notify/read-news.ts'
import { type NotifiedTenant, TargetLane } from '../../../src/notify/target-lane.ts'
import type { EventKind, ResultFacts } from '../../../src/store/port.ts'
import { posture } from '../../metrics/support/posture.ts'
import { commitResult, type FailingEntity, resultOf, type TestResult } from '../../store/support/results.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { testMirror } from '../../support/mirror.ts'

export function target(over: Partial<NotificationSettings> = {}): NotificationSettings {
  return {
    name: 'security',
    to: { slack: { env: 'SLACK' } },
    minSeverity: 'info',
    tenants: [],
    checks: [],
    owners: [],
    on: ['opened', 'resolved', 'unknown', 'hold'],
    digest: null,
    exposeDetails: false,
    ...over,
  }
}

interface State {
  posture: TenantPosture
  waivers: readonly Waiver[]
  owners: Settings['owners']
  /** What the receiver was asked for. */
  readonly asked: Message[]
  /** Throws what the receiver refuses with. */
  answer: (message: Message) => Promise<void>
}

/** The tenant `acme` in a real database, and lanes that send to a receiver in this process. */
export async function notifyWorld() {
  const { mirror } = testMirror()
  const clock = fakeClock()
  const { tenant } = await mirror.openTenant('acme', 'https://api.example.com', clock.now())
  const id = tenant.id
  // A tenant that is mirrored has a history.
  await mirror.appendEvents(id, [{ kind: 'drift.first', subject: 'x', at: clock.now(), data: {} }])
  const outcomes: string[] = []
  const state: State = { posture: posture(), waivers: [], owners: [], asked: [], answer: async () => {} }
  const views: NewsViews = {
    posture: async () => [state.posture],
    findings: ({ fingerprints, states = ['open'] }) => {
      const filter = { tenantIds: [id], ...(fingerprints && { fingerprints }) }
      const { waivers, owners } = state
      return readFindings({ store: mirror, waivers, owners, now: clock.now(), states, ...filter })
    },
  }
  const event = (kind: EventKind, subject: string, data: object) =>
    mirror.appendEvents(id, [{ kind, subject, at: clock.now(), data }])
  return Object.assign(state, {
    mirror,
    clock,
    id,
    outcomes,
    views,
    event,
    /** Stores the result of a check with these findings. */
    result: (failing: readonly FailingEntity[], more: Partial<TestResult> = {}) =>
      commitResult(mirror, resultOf(id, clock.now(), [failing], more)),
    status: (check: string, status: ResultFacts['status'], reason: string | null = null) =>
      event('result', check, { status, reason }),
    holds: (...holds: readonly object[]) => event('tenant.state', '', { state: { holds } }),
    lane(over: Partial<NotificationSettings> = {}, store: NotifiedTenant['store'] = mirror): TargetLane {
      const acme: NotifiedTenant = { settings: { name: 'acme' }, engine: { tenantId: id }, store }
      const settings = { target: target(over), timezone: 'UTC', pageUrl: 'https://tw.example.com' }
      const lane = new TargetLane(settings, {
        io: { clock, random: () => 0.5 },
        log: silentLog(),
        delivery: {
          deliver: async (_, message) => {
            state.asked.push(message)
            await state.answer(message)
          },
        },
        tenants: () => new Map([['acme', acme]]),
        views: () => views,
        metrics: { count: (_, { outcome }: Readonly<Record<string, string>>) => void outcomes.push(outcome ?? '') },
      })
      onTestFinished(() => lane[Symbol.asyncDispose]())
      return lane
    },
    /** Tells a lane of an evaluation, and waits until it has stored that it is done with all events. */
    async settled(lane?: TargetLane): Promise<void> {
      lane?.evaluated('acme')
      const last = await mirror.lastEventId(id)
      await vi.waitFor(async () => {
        const position = await mirror.notificationPosition(id, 'security')
        if (position?.eventId !== last || position.failingSince !== null) throw new Error('not settled')
      }, 30_000)
    },
  })
}
