import { expect, it } from 'vitest'
import { type AnsweredRequest, AnswerTimes } from '../../src/api/answer-times.ts'
import { SyncError } from '../../src/model/errors.ts'
import type { ReachedTime } from '../../src/model/server-clock.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../src/model/time.ts'
import { type FakeClock, fakeClock } from '../support/fake-clock.ts'

interface Scene {
  readonly clock: FakeClock
  readonly times: AnswerTimes
  /** Notes the answer to a new request: `fine`, its oddities, or `stale`. */
  answer(how?: Answered): string
}

type Answered = Partial<AnsweredRequest> & { readonly skewMs?: number; readonly isTaken?: boolean }

function scene({ before = [] }: { readonly before?: readonly ReachedTime[] } = {}): Scene {
  const clock = fakeClock()
  const times = new AnswerTimes(clock, before)
  let ids = 0
  return {
    clock,
    times,
    answer({ skewMs = 0, isTaken = true, ...given } = {}) {
      const serverTime = given.serverTime === undefined ? clock.now() + skewMs : given.serverTime
      const answer = {
        what: 'GET /api/public/roles',
        requestId: `id-${++ids}`,
        timestamp: serverTime === null ? undefined : new Date(serverTime).toISOString(),
        ageSeconds: null,
        date: null,
        receivedAt: clock.now(),
        receivedMonotonic: clock.monotonic(),
        ...given,
        serverTime,
      }
      try {
        const oddities = times.note(answer)
        const answered = { serverTime, monotonic: clock.monotonic() }
        if (isTaken) times.runEnded({ resource: 'roles', outcome: 'success', reason: null, answered })
        return oddities.map(({ kind }) => kind).join() || 'fine'
      } catch (error) {
        return error instanceof SyncError && error.reason === 'stale_answer' ? 'stale' : String(error)
      }
    },
  }
}

const first = { requestId: 'a', timestamp: '2026-03-01T12:00:00Z', serverTime: Date.parse('2026-03-01T12:00:00Z') }

it('an id that comes again with another time is an event, and identifies no answer from then on', () => {
  const { answer } = scene()
  const again = { ...first, timestamp: '2026-03-01T12:00:01Z', serverTime: first.serverTime + 1000 }
  expect([answer(first), answer(again), answer(again)]).toEqual(['fine', 'invalid_id', 'invalid_id'])
})

it.each([null, ''])('an answer with the id %j is an event, however often its time comes', (requestId) => {
  const { answer } = scene()
  expect([answer({ ...first, requestId }), answer({ ...first, requestId })]).toEqual(['invalid_id', 'invalid_id'])
})

it.each(['01.03.2026 12:00', undefined])('a replay shows by its id where its time %s cannot be read', (timestamp) => {
  const { answer } = scene()
  const unreadable = { requestId: 'a', timestamp, serverTime: null }
  expect([answer(unreadable), answer(unreadable)]).toEqual(['unreadable_time', 'stale'])
})

it('an answer more than 300 s behind the newest time is stale', () => {
  const { answer, clock } = scene()
  answer()
  clock.advance(10 * minuteMs)
  answer()
  expect(answer({ skewMs: -300 * secondMs })).toBe('fine')
  expect(answer({ skewMs: -301 * secondMs })).toBe('stale')
})

it('an answer far ahead of the local clock, or of one that went ahead with it, confirms nothing', () => {
  const { answer, clock, times } = scene()
  answer({ skewMs: dayMs })
  expect(times.now()).toBeNull()
  expect(answer()).toBe('fine')
  expect(times.now()).toBe(clock.now())
})

it('after the clock of the server was set back, answers count again once it has passed its former time', () => {
  const { answer, clock } = scene()
  answer()
  const found: string[] = []
  for (let run = 0; run < 4; run++) {
    clock.advance(20 * minuteMs)
    found.push(answer({ skewMs: -hourMs }))
  }
  expect(found).toEqual(['stale', 'stale', 'fine', 'fine'])
})

it('an answer more than 300 s before those to an earlier process is stale', () => {
  const start = fakeClock().now()
  const { answer, times } = scene({ before: [{ serverTime: start, receivedAt: start }] })
  expect(answer({ skewMs: -6 * minuteMs })).toBe('stale')
  expect(times.now()).toBeNull()
  expect(answer({ skewMs: -10 * secondMs })).toBe('fine')
})

it.each([
  ['4 min ahead, 6 min ago', 4, 6, 'stale'],
  ['4 min ahead, 4 min ago', 4, 4, 'fine'],
])('after a restart an answer with the time of an earlier process: %s', (_, ahead, ago, expected) => {
  const start = fakeClock().now()
  const receivedAt = start - ago * minuteMs
  const restarted = () => scene({ before: [{ serverTime: receivedAt + ahead * minuteMs, receivedAt }] })
  expect(restarted().answer({ skewMs: (ahead - ago) * minuteMs })).toBe(expected)
  expect(restarted().answer({ skewMs: ahead * minuteMs })).toBe('fine')
})

it('the server time advances with the monotonic clock, whatever the local clock does', () => {
  const { answer, clock, times } = scene()
  expect([times.now(), times.skewMs('roles')]).toEqual([null, undefined])
  answer({ skewMs: 2 * minuteMs })
  const before = Number(times.now())
  clock.advance(hourMs)
  clock.jump(500 * dayMs)
  expect(times.now()).toBe(before + hourMs)
  expect(times.skewMs('roles')).toBe(2 * minuteMs - 500 * dayMs)
  expect(times.skewMs('users')).toBeUndefined()
})

it('the server time is given after a run that succeeded, and not while the tenant is held; its skew after one that wrote', () => {
  const { answer, times, clock } = scene()
  const ended = (outcome: 'success' | 'failure', reason: 'network' | 'tenant_changed' | null, wrote = false) => {
    const answered = wrote ? { serverTime: clock.now(), monotonic: clock.monotonic() } : null
    times.runEnded({ resource: 'roles', outcome, reason, answered })
    return [times.now(), times.skewMs('roles')]
  }
  answer({ isTaken: false })
  expect(ended('failure', 'network')).toEqual([null, undefined])
  expect(ended('failure', 'network', true)).toEqual([null, 0])
  expect(ended('success', null, true)).toEqual([clock.now(), 0])
  expect(ended('failure', 'network')).toEqual([clock.now(), 0])
  expect(ended('failure', 'tenant_changed')).toEqual([null, 0])
})

it('an answer without a readable time is stale if its Date header lies behind earlier answers', () => {
  const start = fakeClock().now()
  const known = scene()
  known.answer()
  const later = scene({ before: [{ serverTime: start, receivedAt: start }] })
  for (const { answer } of [known, later]) {
    expect(answer({ serverTime: null, date: start - 6 * minuteMs })).toBe('stale')
    expect(answer({ serverTime: null, date: start - minuteMs })).toBe('unreadable_time')
    expect(answer({ serverTime: null, date: null })).toBe('unreadable_time')
  }
})

it('after a restart with a wrong local clock, an answer that is older than the last one is a replay', () => {
  const receivedAt = fakeClock().now() - 20 * minuteMs
  const restarted = (aheadMs: number) => scene({ before: [{ serverTime: receivedAt + aheadMs, receivedAt }] })
  expect(restarted(hourMs).answer({ skewMs: -6 * hourMs })).toBe('stale')
  expect(restarted(hourMs).answer({ skewMs: hourMs })).toBe('fine')
  expect(restarted(500 * dayMs).answer()).toBe('fine')
})
