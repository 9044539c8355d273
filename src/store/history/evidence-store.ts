import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { getTableName } from 'drizzle-orm'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { greatestSkewMs } from '../../model/server-clock.ts'
import type { Database, Operations, Words } from '../database.ts'
import type { FindingStore } from '../port.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import type { Step, Steps } from '../steps.ts'
import { writeWhereDue } from '../write-where-due.ts'
import type { ConfiguredTenant, EvidenceStore } from './evidence-port.ts'
import { pastReader } from './past-reader.ts'
import { clockSteps, type RecordTableName, recordAsOf, recordTimes } from './record-as-of.ts'

type ClockPart = Operations<
  Pick<EvidenceStore, 'confirmTime'> & Pick<FindingStore, 'isOfWrongClock' | 'unconfirmedTime'>
>

/** True for a time later than the confirmed one, or between a step back and a jump forward that no answer confirmed. */
const ofWrongClock = (sql: Words) => `select case when e.at > @now or exists (select 1 from clock_steps s
    where s.confirmed_at >= s.latest and s.resumed - s.until > ${greatestSkewMs}
      and e.at between s.at and s.latest and e.id > coalesce(${sql.jsonMember('s.positions', 'finding_events', 'integer')}, 0)) then 1 else 0 end
  from finding_events e where e.fingerprint = @fingerprint and e.kind in ('opened', 'reopened') order by e.id desc limit 1`

export function clockStore(database: Database): ClockPart {
  const newest = database.prepareValues<[], number | null>(
    'select max(latest) from clock_steps where confirmed_at is null',
  )
  const confirm = database.prepare<[number]>('update clock_steps set confirmed_at = ? where confirmed_at is null')
  // Caps start times in the future, which would delay findings until then.
  const caps = Object.values(recordTables).flatMap((record) => {
    return (record.sinceTimes ?? []).map((time) => {
      const column = columnOf(record, time)
      return database.prepare<[{ at: number }]>(
        `update "${getTableName(record.table)}" set ${column} = @at where ${column} > @at`,
      )
    })
  })
  const isWrong = database.prepareValues<[{ fingerprint: string; now: number }], number>(ofWrongClock(database.sql))

  function* unconfirmed(): Steps<number | null> {
    return (yield* newest.get()) ?? null
  }

  function* confirmed(at: number): Steps<void> {
    yield* confirm.run(at)
    for (const cap of caps) yield* cap.run({ at })
  }

  return {
    confirmTime: (at) =>
      writeWhereDue(database, 'everything', function* () {
        return (yield* unconfirmed()) === null ? null : () => confirmed(at)
      }),
    unconfirmedTime: () => database.read(unconfirmed),
    isOfWrongClock: (fingerprint, now) =>
      database.read(function* () {
        return (yield* isWrong.get({ fingerprint, now })) === 1
      }),
  }
}

/** Runs in another thread, because the configuration of a thousand tenants has megabytes. */
const deflated = (content: string): Promise<Buffer> => promisify(deflateRaw)(content)

type Part = Operations<
  Pick<EvidenceStore, 'noteConfiguration' | 'noteTenantState' | 'noteTime' | 'recordBounds' | 'past'>
>

/** Smaller steps are normal corrections of the clock. */
const leastStepMs = secondMs

interface LastRow {
  readonly table: RecordTableName
  readonly id: number
  readonly at: number
}

const tables = Object.entries(recordTimes) as (readonly [RecordTableName, string])[]

export function evidenceStore(database: Database, settle: () => Promise<void>): Part {
  const steps = clockSteps(database)
  const lastConfiguration = database.prepareValues<[], string>(
    'select digest from configurations order by id desc limit 1',
  )
  const insertConfiguration = database.prepare('insert into configurations (at, digest, content) values (?, ?, ?)')
  const configured = database.prepareValues<[], number>('select count(*) from configured_tenants')
  const clearConfigured = database.prepare('delete from configured_tenants')
  const insertConfigured = database.prepare(
    'insert into configured_tenants (tenant, resources, checks, waivers) values (?, ?, ?, ?)',
  )
  const begin = database.prepare<[number]>(
    `insert into retention (id, begun_at) values (1, ?)
     on conflict (id) do update set begun_at = coalesce(retention.begun_at, excluded.begun_at)`,
  )
  const lastState = database.prepareValues<[number], string>(
    'select state from tenant_states where tenant_id = ? order by id desc limit 1',
  )
  const insertState = database.prepare('insert into tenant_states (tenant_id, at, state) values (?, ?, ?)')
  const bounds = database.prepare<[], { begins: number | null; erasedBefore: number | null }>(
    'select begun_at as begins, erased_before as "erasedBefore" from retention',
  )
  const lastRows = database.prepare<[], LastRow>(
    tables
      .map(([table, time]) => {
        const last = `select id, ${time} as at from ${table} order by id desc limit 1`
        return `select '${table}' as "table", id, at from (${last}) last_of_${table}`
      })
      .join(' union all '),
  )
  const insertStep = database.prepare('insert into clock_steps (at, latest, until, positions) values (?, ?, ?, ?)')
  const resume = database.prepare<[number]>(
    'update clock_steps set resumed = ? where id = (select max(id) from clock_steps)',
  )
  const liveOn = database.prepare<[number]>(
    'update clock_steps set until = ? where id = (select max(id) from clock_steps)',
  )

  /** The write that the current time requires in `clock_steps`; null = none. */
  function* stepAt(at: number): Steps<(() => Step<void>) | null> {
    const step = (yield* steps()).at(-1)
    const last = yield* lastRows.all()
    const since = last.filter(({ table, id }) => id > (step?.positions[table] ?? 0))
    const latest = Math.max(step?.until ?? Number.NEGATIVE_INFINITY, ...since.map((row) => row.at))
    if (latest - at > leastStepMs) {
      const positions = JSON.stringify(Object.fromEntries(last.map(({ table, id }) => [table, id])))
      return () => insertStep.run(at, latest, at, positions)
    }
    if (step === undefined || step.resumed !== null) return null
    if (at > step.latest) return () => resume.run(at)
    return at - step.until >= minuteMs ? () => liveOn.run(at) : null
  }

  function* configure(tenants: readonly ConfiguredTenant[]): Steps<void> {
    yield* clearConfigured.run()
    for (const { tenant, resources, checks, waivers } of tenants)
      yield* insertConfigured.run(tenant, resources, checks, waivers)
  }

  return {
    noteConfiguration: ({ at, digest, content, tenants = [] }) =>
      database.run(async () => {
        const { last, known } = await database.read(function* () {
          return { last: yield* lastConfiguration.get(), known: yield* configured.get() }
        })
        if (last === digest && known === tenants.length) return
        const packed = last === digest ? null : await deflated(content)
        await database.transact('nothing', function* () {
          yield* configure(tenants)
          if (packed === null) return
          yield* insertConfiguration.run(at, digest, packed)
          yield* begin.run(at)
        })
      }),
    noteTenantState: (tenantId, state, at) =>
      writeWhereDue(database, 'nothing', function* () {
        return (yield* lastState.get(tenantId)) === state ? null : () => insertState.run(tenantId, at, state)
      }),
    noteTime: (at) => writeWhereDue(database, 'nothing', () => stepAt(at)),
    recordBounds: () =>
      database.read(function* () {
        return (yield* bounds.get()) ?? { begins: null, erasedBefore: null }
      }),
    past: (at, present) =>
      database.run(async () => {
        await settle()
        return pastReader(database, { at, present, asOf: recordAsOf(await database.read(steps), at, present) })
      }),
  }
}
