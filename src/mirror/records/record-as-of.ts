import { hourMs } from '../../model/durations.ts'
import type { Database } from '../sqlite/database.ts'

/** The tables of the record, each with the column that tells when a row was written. */
export const recordTimes = {
  changes: 'at',
  check_status_changes: 'at',
  configurations: 'at',
  finding_events: 'at',
  runs: 'ended_at',
  tenant_states: 'at',
  waiver_changes: 'at',
} as const

export type RecordTableName = keyof typeof recordTimes

/** How long after the last note of its time an hour that is lived a second time may still be going on. */
const noteToleranceMs = hourMs

type Positions = Readonly<Partial<Record<RecordTableName, number>>>

export interface ClockStep {
  readonly at: number
  readonly latest: number
  readonly until: number
  readonly resumed: number | null
  readonly positions: Positions
}

/** Which rows of the record had been written at a time. */
export interface RecordAsOf {
  readonly setBackFrom: number | null
  /** The condition on a row of the table, to stand in a `where`. */
  within(table: RecordTableName, alias?: string): string
  /** The same of a time that is not of a row of the record. */
  includes(time: number): boolean
  /** When a row was written: one that is ahead of the cut's time, when the clock was set back from there. */
  clampToLife(time: number): number
}

/** Asks for each time the clock was set back, oldest first. */
export function clockSteps({ raw }: Database): () => readonly ClockStep[] {
  const select = raw.prepare<[], Omit<ClockStep, 'positions'> & { readonly positions: string }>(
    'select at, latest, until, resumed, positions from clock_steps order by id',
  )
  return () => select.all().map((row) => ({ ...row, positions: JSON.parse(row.positions) as Positions }))
}

/**
 * Rows are taken in the order they were written, up to the time. Each time that the clock was set back begins another
 * life: what was written before it lies before it, whatever its time says, and of an hour that was lived twice the second
 * life counts, as far as it is known to have been lived.
 */
export function recordAsOf(steps: readonly ClockStep[], at: number, present: boolean): RecordAsOf {
  const life = steps.findLastIndex((step, i) => (present && i === steps.length - 1) || owns(step, at))
  const own = steps[life]
  const floor = own?.positions ?? {}
  const ceiling = steps[life + 1]?.positions
  return {
    setBackFrom: own !== undefined && at <= own.latest ? own.latest : null,
    includes: (time) => time <= (own !== undefined && at <= own.latest ? own.latest : at),
    clampToLife: (time) =>
      time <= at ? time : (steps.slice(0, life + 1).find(({ latest }) => latest >= time)?.at ?? at),
    within(table, alias = table) {
      const written = `(${alias}.id <= ${floor[table] ?? 0} or ${alias}.${recordTimes[table]} <= ${at})`
      return ceiling === undefined ? written : `${alias}.id <= ${ceiling[table] ?? 0} and ${written}`
    },
  }
}

function owns({ at: begin, until, resumed }: ClockStep, at: number): boolean {
  return at >= begin && (at <= until + noteToleranceMs || (resumed !== null && at >= resumed))
}
