import type { Sql } from '../db/db.ts'
import { sharedChain } from '../events.ts'
import { fromJson } from '../words.ts'

/** What counts as written by a time (docs/evidence.md#what-was-true-then). */
export interface AsOf {
  /** Condition on the table `events`. */
  events(alias: string): string
  /** Condition on the table `runs`. */
  readonly runs: string
  /** For a time that is stored elsewhere. */
  includes(time: number): boolean
  /** Replaces a time that a wrong clock wrote, later than the requested one, by that of the confirmation after it. */
  clamp(time: number): number
}

/** Everything that is written. */
export const present: AsOf = {
  events: () => '1 = 1',
  runs: '1 = 1',
  includes: () => true,
  clamp: (time) => time,
}

/** Times are in milliseconds since the epoch; `run`: id of the last run before. */
export interface ClockConfirmed {
  readonly run: number
}

/** `to` = the local time, which was `latest` before. */
export interface ClockSetBack extends ClockConfirmed {
  readonly latest: number
  readonly to: number
}

interface ClockEvent<Data> {
  readonly id: number
  readonly at: number
  readonly data: Data
}

async function lastClockEvent<Data>(tx: Sql, kind: string, at: number): Promise<ClockEvent<Data> | null> {
  const text = `select id, at, data from events
    where tenant_id = ${sharedChain} and kind = ? and at <= ? order by id desc limit 1`
  const [event] = await tx<{ id: number; at: number; data: string }>(text, [kind, at])
  return event === undefined ? null : { ...event, data: fromJson(event.data) as Data }
}

/**
 * Times of a chain go back only where an answer confirmed that the clock was right to do so. So what was written by a time
 * has a time up to it, or was written before such a confirmation up to it. What was written while the clock was behind, with
 * the newest time known before, belongs to the time at which the clock had passed that again.
 */
export async function momentAt(tx: Sql, at: number): Promise<AsOf> {
  const confirmed = await lastClockEvent<ClockConfirmed>(tx, 'clock.confirmed', at)
  const setBack = await lastClockEvent<ClockSetBack>(tx, 'clock.set_back', at)
  const isOver =
    setBack === null ||
    (confirmed?.id ?? 0) > setBack.id ||
    (await tx('select 1 from events where id > ? and at > ? and at <= ? limit 1', [setBack.id, setBack.at, at]))
      .length > 0
  const [id, run] = [confirmed?.id ?? 0, confirmed?.data.run ?? 0]
  const [lastId, lastRun] = isOver ? [null, null] : [setBack.id - 1, setBack.data.run]
  const upTo = (column: string, last: number | null) => (last === null ? '' : ` and ${column} <= ${last}`)
  return {
    events: (alias) => `(${alias}.at <= ${at} or ${alias}.id <= ${id})${upTo(`${alias}.id`, lastId)}`,
    runs: `(ended_at <= ${at} or id <= ${run})${upTo('id', lastRun)}`,
    includes: (time) => time <= at,
    clamp: (time) => (time <= at ? time : (confirmed?.at ?? at)),
  }
}
