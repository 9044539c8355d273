import { expect, it } from 'vitest'
import { type AnsweredRequest, AnswerTimes } from '../../src/api/answer-times.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../src/model/durations.ts'
import { SyncError } from '../../src/model/errors.ts'
import type { ReachedTime } from '../../src/model/server-clock.ts'
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
        resource: 'roles' as const,
        request: times.begin(),
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
        if (isTaken) times.settle('roles')
        return oddities.map(({ kind }) => kind).join() || 'fine'
      } catch (error) {
        return error instanceof SyncError && error.reason === 'stale_answer' ? 'stale' : String(error)
      }
    },
  }
}

const first = { requestId: 'a', timestamp: '2026-03-01T12:00:00Z', serverTime: Date.parse('2026-03-01T12:00:00Z') }

it('an answer with the id and the time of an answer to another request is stale', () => {
  const { answer } = scene()
  expect([answer(first), answer(first), answer()]).toEqual(['fine', 'stale', 'fine'])
})

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

it.each([
  [null, 'fine'],
  [0, 'fine'],
  [300, 'fine'],
  [301, 'stale'],
])('an Age of %s s makes an answer %s', (ageSeconds, expected) => {
  expect(scene().answer({ ageSeconds })).toBe(expected)
})

it('an answer more than 300 s behind the newest time and the time since is stale', () => {
  const { answer, clock } = scene()
  answer()
  clock.advance(10 * minuteMs)
  expect(answer({ skewMs: -300 * secondMs })).toBe('fine')
  expect(answer({ skewMs: -301 * secondMs })).toBe('stale')
})

it('a frozen server time turns stale after 300 s, and stays so', () => {
  const { answer, clock } = scene()
  const found: string[] = []
  for (let minute = 0; minute <= 30; minute += 5) {
    found.push(answer({ serverTime: first.serverTime, timestamp: first.timestamp }))
    clock.advance(5 * minuteMs)
  }
  expect(found).toEqual(['fine', 'fine', ...new Array(5).fill('stale')])
})

it('one answer far ahead of both clocks confirms nothing; a second one that advances like the monotonic clock does', () => {
  const { answer, clock, times } = scene()
  answer()
  answer({ skewMs: dayMs })
  expect(times.now()).toBe(clock.now())
  clock.advance(minuteMs)
  expect(answer()).toBe('fine')
  answer({ skewMs: dayMs })
  clock.advance(minuteMs)
  answer({ skewMs: dayMs })
  expect(times.now()).toBe(clock.now() + dayMs)
  expect(answer()).toBe('stale')
})

it('an answer from before those to an earlier process is stale, until the time of three runs advances', () => {
  const start = fakeClock().now()
  const { answer, times } = scene({ before: [{ serverTime: start, receivedAt: start }] })
  expect(answer({ skewMs: -6 * minuteMs, requestId: 'first of all' })).toBe('stale')
  expect(times.now()).toBeNull()
  expect(answer({ skewMs: -10 * secondMs })).toBe('stale')
  expect(answer({ skewMs: -4 * secondMs })).toBe('fine')
  expect(answer()).toBe('fine')
  expect(answer({ skewMs: -10 * secondMs })).toBe('stale')
  const corrected = scene({ before: [{ serverTime: start + hourMs, receivedAt: start + hourMs }] })
  for (const expected of ['stale', 'stale', 'stale', 'order_violation']) {
    corrected.clock.advance(5 * minuteMs)
    expect(corrected.answer()).toBe(expected)
  }
  expect(corrected.answer()).toBe('fine')
})

it.each([
  ['4 min ahead, 6 min ago', 4, 6, 'stale'],
  ['20 min ahead, 20 min ago', 20, 20, 'stale'],
  ['4 min ahead, 4 min ago', 4, 4, 'fine'],
  ['70 min ahead, corrected since', 70, 6, 'fine', 0],
])(
  'after a restart an answer with the time of an earlier process: %s',
  (_, ahead, ago, expected, skew = ahead - ago) => {
    const start = fakeClock().now()
    const receivedAt = start - ago * minuteMs
    const restarted = () => scene({ before: [{ serverTime: receivedAt + ahead * minuteMs, receivedAt }] })
    expect(restarted().answer({ skewMs: skew * minuteMs })).toBe(expected)
    expect(restarted().answer({ skewMs: ahead * minuteMs })).toBe('fine')
  },
)

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

it('reports the skew in whole milliseconds, whatever the resolution of the monotonic clock', () => {
  const clock = fakeClock()
  const times = new AnswerTimes({ now: () => Math.floor(clock.now()), monotonic: clock.monotonic })
  const serverTime = clock.now() + 1500
  const stated = {
    requestId: 'a',
    timestamp: new Date(serverTime).toISOString(),
    serverTime,
    ageSeconds: null,
    date: null,
  }
  const receipt = { receivedAt: clock.now(), receivedMonotonic: clock.monotonic() }
  times.note({ what: 'GET /api/public/roles', resource: 'roles', request: times.begin(), ...stated, ...receipt })
  times.settle('roles')
  clock.advance(minuteMs + 0.3)
  expect(times.skewMs('roles')).toBe(1500)
})

it('no skew is known by an answer whose time cannot be read, until one can', () => {
  const { answer, times } = scene()
  answer()
  expect(answer({ serverTime: null })).toBe('unreadable_time')
  expect(times.skewMs('roles')).toBeNull()
  answer()
  expect(times.skewMs('roles')).toBe(0)
})

it('an answer without a readable time is stale if its Date header lies behind earlier answers', () => {
  const { answer, clock } = scene()
  const undated = (date: number | null) => answer({ serverTime: null, date })
  expect(undated(clock.now() - 86_400_000)).toBe('unreadable_time')
  expect(answer()).toBe('fine')
  expect([undated(clock.now() - 299_000), undated(null), undated(clock.now() + 86_400_000)]).toEqual(
    Array(3).fill('unreadable_time'),
  )
  expect(undated(clock.now() - 301_000)).toBe('stale')
  clock.advance(600_000)
  expect(undated(clock.now() - 600_000)).toBe('stale')
  expect(answer({ date: clock.now() - 86_400_000 })).toBe('fine')
})

it('an answer without a readable time is stale if its Date header lies behind the last process', () => {
  const reached = Date.parse('2026-03-01T12:00:00Z')
  const { answer, clock } = scene({ before: [{ serverTime: reached, receivedAt: reached }] })
  expect(answer({ serverTime: null, date: clock.now() - 86_400_000 })).toBe('stale')
})
