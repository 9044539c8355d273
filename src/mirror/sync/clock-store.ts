import { getTableName } from 'drizzle-orm'
import { greatestSkewMs } from '../../model/server-clock.ts'
import type { EvidenceStore, FindingStore } from '../port.ts'
import { columnOf } from '../records/record-table.ts'
import { recordTables } from '../records/record-tables.ts'
import type { Database, Operations } from '../sqlite/database.ts'

type Part = Operations<Pick<EvidenceStore, 'confirmTime'> & Pick<FindingStore, 'isOfWrongClock' | 'unconfirmedTime'>>

/**
 * True for an event later than the confirmed time. Also true for one in a period that began when the clock was set back
 * and ended with a jump forward, if no answer confirmed the clock before it passed `latest` again.
 */
const ofWrongClock = `select e.at > @now or exists (select 1 from clock_steps s
    where s.confirmed_at >= s.latest and s.resumed - s.until > ${greatestSkewMs}
      and e.at between s.at and s.latest and e.id > coalesce(json_extract(s.positions, '$.finding_events'), 0))
  from finding_events e where e.fingerprint = @fingerprint and e.kind in ('opened', 'reopened') order by e.id desc limit 1`

export function clockStore(database: Database): Part {
  const { raw } = database
  const newest = raw
    .prepare<[], number | null>('select max(latest) from clock_steps where confirmed_at is null')
    .pluck()
  const confirm = raw.prepare('update clock_steps set confirmed_at = ? where confirmed_at is null')
  // A start later than now would delay findings until that time.
  const caps = Object.values(recordTables).flatMap((record) => {
    return (record.sinceTimes ?? []).map((time) => {
      const column = columnOf(record, time)
      return raw.prepare(`update "${getTableName(record.table)}" set ${column} = @at where ${column} > @at`)
    })
  })
  const isWrong = raw.prepare<[{ fingerprint: string; now: number }], number>(ofWrongClock).pluck()
  return {
    confirmTime: (at) =>
      database.run(() => {
        if (newest.get() === null) return
        database.transact('everything', () => {
          confirm.run(at)
          for (const cap of caps) cap.run({ at })
        })
      }),
    unconfirmedTime: () => database.run(() => newest.get() ?? null),
    isOfWrongClock: (fingerprint, now) => database.run(() => isWrong.get({ fingerprint, now }) === 1),
  }
}
