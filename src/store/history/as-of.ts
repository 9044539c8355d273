import { hourMs } from '../../model/durations.ts'

/** From a step back of the clock to the next one. Times are in milliseconds since the epoch. */
export interface ClockPeriod {
  /** Id of the event; events with lower ids were written before the step. */
  readonly id: number
  readonly at: number
  /** Latest recorded time before the step, and the last run before it. */
  readonly latest: number
  readonly lastRun: number
  /** Last time before `latest` was passed; infinite until then. */
  readonly until: number
  /** First time later than `latest`. */
  readonly resumed: number | null
  /** Local time of the first answer that confirmed the clock after the step. */
  readonly confirmedAt: number | null
}

/** How long a period may have continued after `until`, its last recorded time. */
const toleranceMs = hourMs

/** What counts as written by a time (docs/evidence.md#what-was-true-then). */
export interface AsOf {
  /** Condition on the table `events`. */
  events(alias: string): string
}

/** Everything that is written. */
export const present: AsOf = { events: () => '1 = 1' }

export interface PastMoment extends AsOf {
  /** Set if the time is in local time that repeated: the latest time before the clock was set back. */
  readonly setBackFrom: number | null
  /** Condition on the table `runs`. */
  readonly runs: string
  /** For a time that is stored elsewhere. */
  includes(time: number): boolean
  /** Replaces a time later than the requested one by the time to which the clock was set back. */
  clampToPeriod(time: number): number
}

/**
 * Ids have the order of writing. Each step back of the clock begins a new period; what was written before it belongs to
 * earlier periods, whatever its time. If local time repeats, the later period counts as far as its recorded times reach.
 */
export function momentAt(periods: readonly ClockPeriod[], at: number, isPresent: boolean): PastMoment {
  const index = periods.findLastIndex((period, i) => (isPresent && i === periods.length - 1) || owns(period, at))
  const own = periods[index]
  const next = periods[index + 1]
  const setBackFrom = own !== undefined && at <= own.latest ? own.latest : null
  const written = (id: string, time: string, from: number, to: number | undefined) => {
    const condition = `(${id} <= ${from} or ${time} <= ${at})`
    return to === undefined ? condition : `${id} <= ${to} and ${condition}`
  }
  return {
    setBackFrom,
    events: (alias) => written(`${alias}.id`, `${alias}.at`, own?.id ?? 0, next && next.id - 1),
    runs: written('id', 'ended_at', own?.lastRun ?? 0, next?.lastRun),
    includes: (time) => time <= (setBackFrom ?? at),
    clampToPeriod: (time) =>
      time <= at ? time : (periods.slice(0, index + 1).find(({ latest }) => latest >= time)?.at ?? at),
  }
}

function owns({ at: begin, until, resumed }: ClockPeriod, at: number): boolean {
  return at >= begin && (at <= until + toleranceMs || (resumed !== null && at >= resumed))
}
