import { hourMs } from '../../model/durations.ts'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'

/** Tables of the history, each with the column of the time at which a row was written. */
export const recordTimes = {
  audit_chain: 'at',
  changes: 'at',
  check_status_changes: 'at',
  configurations: 'at',
  finding_events: 'at',
  runs: 'ended_at',
  tenant_states: 'at',
  waiver_changes: 'at',
} as const

export type RecordTableName = keyof typeof recordTimes

/** How long a period between two clock steps may have continued after `until`, its last recorded time. */
const noteToleranceMs = hourMs

type Positions = Readonly<Partial<Record<RecordTableName, number>>>

export interface ClockStep {
  readonly at: number
  readonly latest: number
  readonly until: number
  readonly resumed: number | null
  readonly positions: Positions
}

export interface RecordAsOf {
  readonly setBackFrom: number | null
  within(table: RecordTableName, alias?: string): string
  /** `within` for a time outside these tables. */
  includes(time: number): boolean
  /** Replaces a time later than `at` by the time to which the clock was set back. */
  clampToPeriod(time: number): number
}

export function clockSteps(database: Database): (tx: Sql) => Promise<readonly ClockStep[]> {
  const select = database.prepare<[], Omit<ClockStep, 'positions'> & { readonly positions: string }>(
    'select at, latest, until, resumed, positions from clock_steps order by id',
  )
  return async (tx) => {
    return (await select.all(tx)).map((row) => ({ ...row, positions: JSON.parse(row.positions) as Positions }))
  }
}

/**
 * Rows are ordered as they were written. Each step back of the clock begins a new period; rows written before it belong
 * to earlier periods, whatever their time. If local time repeats, the later period counts as far as its recorded times
 * reach.
 */
export function recordAsOf(steps: readonly ClockStep[], at: number, present: boolean): RecordAsOf {
  const period = steps.findLastIndex((step, i) => (present && i === steps.length - 1) || owns(step, at))
  const own = steps[period]
  const floor = own?.positions ?? {}
  const ceiling = steps[period + 1]?.positions
  return {
    setBackFrom: own !== undefined && at <= own.latest ? own.latest : null,
    includes: (time) => time <= (own !== undefined && at <= own.latest ? own.latest : at),
    clampToPeriod: (time) =>
      time <= at ? time : (steps.slice(0, period + 1).find(({ latest }) => latest >= time)?.at ?? at),
    within(table, alias = table) {
      const written = `(${alias}.id <= ${floor[table] ?? 0} or ${alias}.${recordTimes[table]} <= ${at})`
      return ceiling === undefined ? written : `${alias}.id <= ${ceiling[table] ?? 0} and ${written}`
    },
  }
}

function owns({ at: begin, until, resumed }: ClockStep, at: number): boolean {
  return at >= begin && (at <= until + noteToleranceMs || (resumed !== null && at >= resumed))
}
