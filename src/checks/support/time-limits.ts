import * as z from 'zod'
import type { Condition } from '../../store/records/query.ts'

const wrongType = (unit: string) => `expected a number of ${unit}, without a unit`

/** A threshold in days; fractions are allowed. */
export const days = (byDefault: number) =>
  z
    .number({ error: wrongType('days') })
    .positive()
    .max(36_500)
    .default(byDefault)

/** A threshold in hours; fractions are allowed. */
export const hours = (byDefault: number) =>
  z
    .number({ error: wrongType('hours') })
    .positive()
    .max(876_000)
    .default(byDefault)

/** True when `since` lies more than `limitMs` before `now`. */
export function isOlderThan(since: number, limitMs: number, now: number): boolean {
  return now - since > limitMs
}

/** `isOlderThan` as a condition on a time of the mirror, which is in whole milliseconds. */
export function olderThan<Field extends string>(field: Field, limitMs: number, now: number): Condition<Field> {
  return { field, atMost: lastOlder(limitMs, now) }
}

/** The opposite of `olderThan`. */
export function notOlderThan<Field extends string>(field: Field, limitMs: number, now: number): Condition<Field> {
  return { field, above: lastOlder(limitMs, now) }
}

const lastOlder = (limitMs: number, now: number) => Math.ceil(now - limitMs) - 1
