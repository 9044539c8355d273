import { greatestSkewMs } from '../../model/server-clock.ts'
import { secondMs } from '../../model/time.ts'
import { type Db, type Sql, writeWhereDue } from '../db/db.ts'
import { type AsOf, appendEvents, type StoredEvent } from '../event-store.ts'
import { type EventKind, type FindingKind, sharedChain } from '../events.ts'
import { fromJson } from '../rows.ts'

/** Times are in milliseconds since the epoch; `run`: id of the last run before. */
interface ClockConfirmed {
  readonly run: number
}

/** `to` = the local time, which was `latest` before. */
interface ClockSetBack extends ClockConfirmed {
  readonly latest: number
  readonly to: number
}

/** Smaller steps are normal corrections of the clock, or differences between the clocks of replicas. */
const leastStepMs = 10 * secondMs

export function clockStore(db: Db) {
  return {
    /** Call before each run and each evaluation: records that the clock was set back. */
    noteTime: (at: number): Promise<void> =>
      writeWhereDue(db, async (tx) => {
        const latest = await latestTime(tx)
        if (latest - at <= leastStepMs || latest === (await unconfirmedTime(tx))) return null
        return async (tx) => {
          const data: ClockSetBack = { latest, to: at, run: await lastRun(tx) }
          await appendEvents(tx, sharedChain, [{ kind: 'clock.set_back', subject: '', at: latest, data }])
        }
      }),
    /** Records that the server time agrees with the local clock at `at`: rows with later times are of a wrong clock. */
    confirmTime: (at: number): Promise<void> =>
      writeWhereDue(db, async (tx) => {
        if ((await unconfirmedTime(tx)) === null) return null
        return async (tx) => {
          const times = [{ at: Math.round(at), ahead: Math.round(at) + leastStepMs }]
          await tx('update event_chains set last_at = @at where last_at > @at', times)
          // The server's time of the data counts; where that was ahead, too, nobody knows more than that of the first full sync.
          await tx(
            `update sync_states set
               complete_server_time = case when complete_server_time <= @ahead then complete_server_time end,
               complete_started_at = case
                 when complete_server_time <= @at then complete_server_time
                 when complete_server_time <= @ahead then @at
                 when first_complete_at <= @at then first_complete_at else 0 end
             where complete_started_at > @ahead`,
            times,
          )
          await tx('update sync_states set first_complete_at = @at where first_complete_at > @at', times)
          const data: ClockConfirmed = { run: await lastRun(tx) }
          await appendEvents(tx, sharedChain, [{ kind: 'clock.confirmed', subject: '', at, data }])
        }
      }),
    /** Newest time in the mirror, of a run or an event; 0 = none. */
    latestTime: (): Promise<number> => db.read(latestTime),
    /** Newest time recorded before the clock was set back; null if none, or if an answer confirmed the clock since. */
    unconfirmedTime: (): Promise<number | null> => db.read(unconfirmedTime),
    /** True if the clock turned out to be wrong at the last opening of the finding; `now` is the confirmed time. */
    isOfWrongClock: (fingerprint: string, now: number): Promise<boolean> =>
      db.read(async (tx) => {
        const [opened] = await tx<{ kind: FindingKind; at: number; firstSeenAt: number }>(opening, [fingerprint])
        if (opened === undefined) return false
        const local = opened.kind === 'finding.opened' ? opened.firstSeenAt : opened.at
        return local > now || (opened.at <= now && opened.at - local > greatestSkewMs)
      }),
  }
}

export async function latestTime(tx: Sql): Promise<number> {
  const [latest] = await tx<number | null>('select max(last_at) from event_chains', [], 'values')
  return latest ?? 0
}

async function lastRun(tx: Sql): Promise<number> {
  const [id = 0] = await tx<number>('select id from runs order by id desc limit 1', [], 'values')
  return id
}

/** The last events of the clock by then; null for none. */
async function clockEvents(tx: Sql, at = Number.MAX_SAFE_INTEGER) {
  const text = `select id, at, data from events where tenant_id = ${sharedChain} and kind = ? and data is not null
    and at <= ? order by id desc limit 1`
  const last = async <Data>(kind: EventKind) => {
    const [event] = await tx<Pick<StoredEvent, 'at' | 'id'> & { readonly data: string }>(text, [kind, at])
    return event === undefined ? null : { id: event.id, at: event.at, ...(fromJson(event.data) as Data) }
  }
  return {
    setBack: await last<ClockSetBack>('clock.set_back'),
    confirmed: await last<ClockConfirmed>('clock.confirmed'),
  }
}

export async function unconfirmedTime(tx: Sql): Promise<number | null> {
  const { setBack, confirmed } = await clockEvents(tx)
  return setBack === null || setBack.id < (confirmed?.id ?? 0) ? null : setBack.latest
}

/**
 * Times of a chain go back only where an answer confirmed that the clock was right to do so. So what was written by a time
 * has a time up to it, or was written before such a confirmation up to it. What was written while the clock was behind, with
 * the newest time known before, belongs to the time at which the clock had passed that again.
 */
export async function momentAt(tx: Sql, at: number): Promise<AsOf> {
  const { confirmed, setBack } = await clockEvents(tx, at)
  const isOver =
    setBack === null ||
    (confirmed?.id ?? 0) > setBack.id ||
    (await tx('select 1 from events where id > ? and at > ? and at <= ? limit 1', [setBack.id, setBack.at, at]))
      .length > 0
  const [id, run] = [confirmed?.id ?? 0, confirmed?.run ?? 0]
  const [lastId, lastRun] = isOver ? [null, null] : [setBack.id - 1, setBack.run]
  const upTo = (column: string, last: number | null) => (last === null ? '' : ` and ${column} <= ${last}`)
  return {
    events: (alias) => `(${alias}.at <= ${at} or ${alias}.id <= ${id})${upTo(`${alias}.id`, lastId)}`,
    runs: `(ended_at <= ${at} or id <= ${run})${upTo('id', lastRun)}`,
    includes: (time) => time <= at,
    clamp: (time) => (time <= at ? time : (confirmed?.at ?? at)),
  }
}

const opening = `select e.kind, e.at, f.first_seen_at as "firstSeenAt"
  from findings f join events e on e.tenant_id = f.tenant_id and e.subject = f.fingerprint
    and e.kind in ('finding.opened', 'finding.reopened')
  where f.fingerprint = ? order by +e.id desc limit 1`
