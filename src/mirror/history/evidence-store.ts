import { deflateRawSync } from 'node:zlib'
import { getTableName } from 'drizzle-orm'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { greatestSkewMs } from '../../model/server-clock.ts'
import type { FindingStore } from '../port.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { jsonMember } from '../sql.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import type { EvidenceStore } from './evidence-port.ts'
import { pastReader } from './past-reader.ts'
import { clockSteps, type RecordTableName, recordAsOf, recordTimes } from './record-as-of.ts'

type ClockPart = Operations<
  Pick<EvidenceStore, 'confirmTime'> & Pick<FindingStore, 'isOfWrongClock' | 'unconfirmedTime'>
>

/** Later than the confirmed time, or between a step back and a jump forward that no answer confirmed. */
const ofWrongClock = `select case when e.at > @now or exists (select 1 from clock_steps s
    where s.confirmed_at >= s.latest and s.resumed - s.until > ${greatestSkewMs}
      and e.at between s.at and s.latest and e.id > coalesce(cast(${jsonMember('s.positions', 'finding_events')} as bigint), 0)) then 1 else 0 end
  from finding_events e where e.fingerprint = @fingerprint and e.kind in ('opened', 'reopened') order by e.id desc limit 1`

export function clockStore(database: Database): ClockPart {
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

type Part = Operations<
  Pick<EvidenceStore, 'noteConfiguration' | 'noteTenantState' | 'noteTime' | 'recordBounds' | 'past'>
>

/** Smaller steps are ordinary corrections of the clock. */
const leastStepMs = secondMs

const tables = Object.entries(recordTimes) as (readonly [RecordTableName, string])[]

export function evidenceStore(database: Database, settle: () => Promise<void>): Part {
  const { raw } = database
  const steps = clockSteps(database)
  const lastConfiguration = raw
    .prepare<[], string>('select digest from configurations order by id desc limit 1')
    .pluck()
  const insertConfiguration = raw.prepare('insert into configurations (at, digest, content) values (?, ?, ?)')
  const begin = raw.prepare(
    `insert into retention (id, begun_at) values (1, ?)
     on conflict (id) do update set begun_at = coalesce(retention.begun_at, excluded.begun_at)`,
  )
  const lastState = raw
    .prepare<[number], string>('select state from tenant_states where tenant_id = ? order by id desc limit 1')
    .pluck()
  const insertState = raw.prepare('insert into tenant_states (tenant_id, at, state) values (?, ?, ?)')
  const bounds = raw.prepare<[], { begins: number | null; erasedBefore: number | null }>(
    'select begun_at as begins, erased_before as "erasedBefore" from retention',
  )
  const lastRows = tables.map(([table, time]) => {
    const find = raw.prepare<[], { id: number; at: number }>(
      `select id, ${time} as at from ${table} order by id desc limit 1`,
    )
    return [table, () => find.get()] as const
  })
  const insertStep = raw.prepare('insert into clock_steps (at, latest, until, positions) values (?, ?, ?, ?)')
  const resume = raw.prepare('update clock_steps set resumed = ? where id = (select max(id) from clock_steps)')
  const liveOn = raw.prepare('update clock_steps set until = ? where id = (select max(id) from clock_steps)')

  return {
    noteConfiguration: ({ at, digest, content }) =>
      database.run(() => {
        if (lastConfiguration.get() === digest) return
        database.transact('nothing', () => {
          insertConfiguration.run(at, digest, deflateRawSync(content))
          begin.run(at)
        })
      }),
    noteTenantState: (tenantId, state, at) =>
      database.run(() => {
        if (lastState.get(tenantId) === state) return
        database.transact('nothing', () => insertState.run(tenantId, at, state))
      }),
    noteTime: (at) =>
      database.run(() => {
        const step = steps().at(-1)
        const last = lastRows.flatMap(([table, find]) => {
          const row = find()
          return row === undefined ? [] : [{ table, ...row }]
        })
        const since = last.filter(({ table, id }) => id > (step?.positions[table] ?? 0))
        const latest = Math.max(step?.until ?? Number.NEGATIVE_INFINITY, ...since.map((row) => row.at))
        if (latest - at > leastStepMs) {
          const positions = JSON.stringify(Object.fromEntries(last.map(({ table, id }) => [table, id])))
          database.transact('nothing', () => insertStep.run(at, latest, at, positions))
        } else if (step !== undefined && step.resumed === null) {
          if (at > step.latest) database.transact('nothing', () => resume.run(at))
          else if (at - step.until >= minuteMs) database.transact('nothing', () => liveOn.run(at))
        }
      }),
    recordBounds: () => database.run(() => bounds.get() ?? { begins: null, erasedBefore: null }),
    past: (at, present) =>
      database.run(async () => {
        await settle()
        return pastReader(database, { at, present, asOf: recordAsOf(steps(), at, present) })
      }),
  }
}
