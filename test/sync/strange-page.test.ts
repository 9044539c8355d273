import { expect, it } from 'vitest'
import { dayMs, hourMs } from '../../src/model/time.ts'
import type { SyncState } from '../../src/store/port.ts'
import { admits } from '../../src/sync/pages/strange-page.ts'

const read = Date.parse('2026-03-01T12:00:00Z')
const page = { known: 2, unknown: ['a', 'b', 'c'].map((key) => ({ key, createdAt: read - 2 * hourMs })) }
const complete = { resource: 'documents', completeStartedAt: read, completeServerTime: null, firstCompleteAt: null }
const state = (changes: object) => ({ ...complete, serverTime: read, serverTimeAt: read, ...changes }) as SyncState

it.each<[string, object, { now: number; serverTime: number | null }, boolean]>([
  ['by the server time', {}, { now: read, serverTime: read + hourMs }, false],
  ['by the local time without one', { completeServerTime: null }, { now: read + hourMs, serverTime: null }, false],
  ['by what the local time is now', { completeServerTime: null }, { now: read - hourMs / 2, serverTime: null }, false],
  ['created in the future', { completeServerTime: null }, { now: read - dayMs, serverTime: null }, false],
  ['not by a local time years ahead', { completeServerTime: null }, { now: read - 2 * dayMs, serverTime: null }, true],
  [
    'by the first full sync, where the local time of the last was years ahead',
    { completeStartedAt: read + 400 * dayMs, completeServerTime: null, firstCompleteAt: read },
    { now: read - 400 * dayMs, serverTime: read + hourMs },
    false,
  ],
  [
    'not by a time of hours ahead by both clocks, which were wrong alike',
    { completeStartedAt: read + 12 * hourMs, completeServerTime: read + 12 * hourMs, firstCompleteAt: read - dayMs },
    { now: read, serverTime: read },
    true,
  ],
  ['by the first one, where all are ahead', { firstCompleteAt: read }, { now: 0, serverTime: null }, false],
  ['by the later time, after a clock was set', { completeServerTime: 0 }, { now: read, serverTime: read }, false],
  [
    'not one created since',
    { completeStartedAt: read - 2 * hourMs },
    { now: read - 2 * hourMs, serverTime: null },
    true,
  ],
  [
    'not one created since by the server, while the local clock is behind',
    { completeStartedAt: read - 4 * hourMs },
    { now: read - 4 * hourMs, serverTime: read - 2 * hourMs },
    true,
  ],
  [
    'by the server, while a clock is wrong',
    { completeStartedAt: 0, completeServerTime: read },
    { now: 1, serverTime: read + 1 },
    false,
  ],
  ['by a local time that the server confirms', { completeServerTime: null }, { now: 0, serverTime: read + 1 }, false],
  [
    'by a local time that is decades behind that of the server, then and now',
    { completeStartedAt: 0 },
    { now: hourMs, serverTime: read + hourMs },
    false,
  ],
])('finds a page of old, unknown records %s', (_by, changes, times, admitted) => {
  expect(admits(state(changes), page, times)).toBe(admitted)
})
