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
}

/** Everything that is written. */
export const present: AsOf = { events: () => '1 = 1', runs: '1 = 1', includes: () => true }

/** `run`: id of the last run before the confirmation. */
export interface ClockConfirmed {
  readonly run: number
}

/**
 * Times of a chain go back only where an answer confirmed that the clock was right to do so. So what was written by a time
 * has a time up to it, or was written before such a confirmation up to it.
 */
export async function momentAt(tx: Sql, at: number): Promise<AsOf> {
  const text = `select id, data from events
    where tenant_id = ${sharedChain} and kind = 'clock.confirmed' and at <= ? order by id desc limit 1`
  const [confirmed] = await tx<{ id: number; data: string }>(text, [at])
  const { run } = confirmed === undefined ? { run: 0 } : (fromJson(confirmed.data) as ClockConfirmed)
  return {
    events: (alias) => `(${alias}.at <= ${at} or ${alias}.id <= ${confirmed?.id ?? 0})`,
    runs: `(ended_at <= ${at} or id <= ${run})`,
    includes: (time) => time <= at,
  }
}
