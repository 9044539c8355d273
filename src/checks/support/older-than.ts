import type { Condition } from '../../mirror/records/query.ts'

/** True when `since` lies more than `limitMs` before `now`. */
export function isOlderThan(since: number, limitMs: number, now: number): boolean {
  return now - since > limitMs
}

/** `isOlderThan` as a condition on a time of the mirror, which is in whole milliseconds. */
export function olderThan<Field extends string>(field: Field, limitMs: number, now: number): Condition<Field> {
  return { field, atMost: Math.ceil(now - limitMs) - 1 }
}
