import { secondMs } from '../../model/durations.ts'
import { greatestSkewMs } from '../../model/server-clock.ts'
import type { Db, Sql } from '../db/db.ts'
import { type EventKind, eventAppender, type NewEvent, sharedChain } from '../event-store.ts'
import { supplementOf } from '../records/record-body.ts'
import { recordShapes } from '../records/record-shape.ts'
import { fromJson } from '../words.ts'
import { writeWhereDue } from '../write-where-due.ts'
import type { ClockPeriod } from './as-of.ts'

interface ClockEvent {
  readonly id: number
  readonly kind: EventKind
  readonly at: number
  readonly data: string
}

/** The periods, oldest first; none if the clock was never set back. */
export async function clockPeriods(tx: Sql): Promise<readonly ClockPeriod[]> {
  const events = await tx<ClockEvent>(
    `select id, kind, at, data from events where tenant_id = ${sharedChain}
       and kind in ('clock.set_back', 'clock.resumed', 'clock.confirmed') order by id`,
  )
  return events.reduce(withEvent, [])
}

function withEvent(periods: readonly ClockPeriod[], { id, kind, at, data }: ClockEvent): readonly ClockPeriod[] {
  const [last] = periods.slice(-1)
  const stored = fromJson(data) as Pick<ClockPeriod, 'latest' | 'lastRun' | 'until'>
  if (kind === 'clock.confirmed')
    return periods.map((period) => (period.confirmedAt === null ? { ...period, confirmedAt: at } : period))
  if (kind === 'clock.resumed')
    return last === undefined ? [] : [...periods.slice(0, -1), { ...last, resumed: at, until: stored.until }]
  const ended = periods.map((period) =>
    period.resumed === null ? { ...period, until: Math.min(period.until, stored.latest) } : period,
  )
  const { latest, lastRun } = stored
  return [...ended, { id, at, latest, lastRun, until: Number.POSITIVE_INFINITY, resumed: null, confirmedAt: null }]
}

/** Smaller steps are normal corrections of the clock. */
const leastStepMs = secondMs

export function clockStore(db: Db) {
  const append = eventAppender(db)
  /** Between the writes of an engine that changes nothing, only this process knows how far the clock went. */
  let lastNoted = Number.NEGATIVE_INFINITY

  async function eventAt(tx: Sql, at: number): Promise<NewEvent | null> {
    const period = (await clockPeriods(tx)).at(-1)
    const [run] = await tx<{ id: number; endedAt: number }>(
      'select id, ended_at as "endedAt" from runs order by id desc limit 1',
    )
    const [lastAt] = await tx<number>('select at from events order by id desc limit 1', [], 'values')
    const latest = Math.max(
      lastAt ?? Number.NEGATIVE_INFINITY,
      run !== undefined && run.id > (period?.lastRun ?? 0) ? run.endedAt : Number.NEGATIVE_INFINITY,
    )
    if (latest - at > leastStepMs)
      return { kind: 'clock.set_back', subject: '', at, data: { latest, lastRun: run?.id ?? 0 } }
    if (period === undefined || period.resumed !== null || at <= period.latest) return null
    const noted = lastNoted <= period.latest ? lastNoted : period.at
    const [before] = await tx<number | null>(lastBefore, [period], 'values')
    return { kind: 'clock.resumed', subject: '', at, data: { until: Math.max(period.at, noted, before ?? period.at) } }
  }

  async function unconfirmed(tx: Sql): Promise<number | null> {
    const open = (await clockPeriods(tx)).filter(({ confirmedAt }) => confirmedAt === null)
    return open.length === 0 ? null : Math.max(...open.map(({ latest }) => latest))
  }

  return {
    /** Call before each evaluation: records that the clock was set back, and when that time is passed again. */
    async noteTime(at: number): Promise<void> {
      await writeWhereDue(db, async (tx) => {
        const event = await eventAt(tx, at)
        return event && ((tx) => append(tx, sharedChain, [event]))
      })
      lastNoted = at
    },
    /** Records that the server time agrees with the local clock at `at`: rows with later times are of a wrong clock. */
    confirmTime: (at: number): Promise<void> =>
      writeWhereDue(db, async (tx) => {
        if ((await unconfirmed(tx)) === null) return null
        return async (tx) => {
          await append(tx, sharedChain, [{ kind: 'clock.confirmed', subject: '', at, data: {} }])
          await capStartTimes(tx, at)
        }
      }),
    /** Newest time recorded before the clock was set back; null if none, or if an answer confirmed the clock since. */
    unconfirmedTime: (): Promise<number | null> => db.read(unconfirmed),
    /** True if the clock turned out to be wrong at the last opening of the finding; `now` is the confirmed time. */
    isOfWrongClock: (fingerprint: string, now: number): Promise<boolean> =>
      db.read(async (tx) => {
        const [opened] = await tx<{ id: number; at: number }>(opening, [fingerprint])
        if (opened === undefined) return false
        return opened.at > now || (await clockPeriods(tx)).some((period) => isUnderWrongClock(opened, period))
      }),
  }
}

/** Last recorded time up to `latest` since the clock was set back. */
const lastBefore = `select max(at) from (select max(at) as at from events where id > @id and at <= @latest
  union all select max(ended_at) from runs where id > @lastRun and ended_at <= @latest) times`

const opening = `select e.id, e.at from findings f join events e on e.tenant_id = f.tenant_id and e.subject = f.fingerprint
    and e.kind in ('finding.opened', 'finding.reopened')
  where f.fingerprint = ? order by +e.id desc limit 1`

/** True between a step back and a jump forward that put the clock right. */
function isUnderWrongClock(event: { readonly id: number; readonly at: number }, period: ClockPeriod): boolean {
  const { id, at, latest, until, resumed, confirmedAt } = period
  if (confirmedAt === null || confirmedAt < latest || resumed === null || resumed - until <= greatestSkewMs)
    return false
  return event.id > id && event.at >= at && event.at <= latest
}

/** Caps start times in the future, which would delay findings until then. */
async function capStartTimes(sql: Sql, at: number): Promise<void> {
  for (const { resource, since } of Object.values(recordShapes)) {
    if (since === null) continue
    const rows = await sql<{ rid: number; supplement: string }>(
      'select rid, supplement from records where resource = ? and supplement is not null',
      [resource],
    )
    for (const { rid, supplement } of rows) {
      const added = supplementOf(supplement)
      if ((added[since.name] ?? 0) <= at) continue
      const capped = JSON.stringify({ ...added, [since.name]: at })
      await sql('update records set supplement = ? where rid = ?', [capped, rid])
    }
    await sql('update sync_states set version = version + 1 where resource = ?', [resource])
  }
}
