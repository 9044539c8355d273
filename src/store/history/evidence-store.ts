import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { getTableName } from 'drizzle-orm'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { greatestSkewMs } from '../../model/server-clock.ts'
import type { Database } from '../database.ts'
import type { Dialect, Sql } from '../db/db.ts'
import type { FindingStore } from '../port.ts'
import { columnOf, recordTables } from '../records/record-tables.ts'
import { writeWhereDue } from '../write-where-due.ts'
import type { ConfiguredTenant, EvidenceStore } from './evidence-port.ts'
import { pastReader } from './past-reader.ts'
import { clockSteps, type RecordTableName, recordAsOf, recordTimes } from './record-as-of.ts'

type ClockPart = Pick<EvidenceStore, 'confirmTime'> & Pick<FindingStore, 'isOfWrongClock' | 'unconfirmedTime'>

/** True for a time later than the confirmed one, or between a step back and a jump forward that no answer confirmed. */
const ofWrongClock = (sql: Dialect) => `select case when e.at > @now or exists (select 1 from clock_steps s
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

  async function unconfirmed(tx: Sql): Promise<number | null> {
    return (await newest.get(tx)) ?? null
  }

  async function confirmed(tx: Sql, at: number): Promise<void> {
    await confirm.run(tx, at)
    for (const cap of caps) await cap.run(tx, { at })
  }

  return {
    confirmTime: (at) =>
      writeWhereDue(database, 'everything', async (tx) => {
        return (await unconfirmed(tx)) === null ? null : () => confirmed(tx, at)
      }),
    unconfirmedTime: () => database.read(unconfirmed),
    isOfWrongClock: (fingerprint, now) =>
      database.read(async (tx) => {
        return (await isWrong.get(tx, { fingerprint, now })) === 1
      }),
  }
}

/** Runs in another thread, because the configuration of a thousand tenants has megabytes. */
const deflated = (content: string): Promise<Buffer> => promisify(deflateRaw)(content)

type Part = Pick<EvidenceStore, 'noteConfiguration' | 'noteTenantState' | 'noteTime' | 'recordBounds' | 'past'>

/** Smaller steps are normal corrections of the clock. */
const leastStepMs = secondMs

interface LastRow {
  readonly table: RecordTableName
  readonly id: number
  readonly at: number
}

const tables = Object.entries(recordTimes) as (readonly [RecordTableName, string])[]

export function evidenceStore(database: Database): Part {
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
  async function stepAt(tx: Sql, at: number): Promise<((tx: Sql) => Promise<void>) | null> {
    const step = (await steps(tx)).at(-1)
    const last = await lastRows.all(tx)
    const since = last.filter(({ table, id }) => id > (step?.positions[table] ?? 0))
    const latest = Math.max(step?.until ?? Number.NEGATIVE_INFINITY, ...since.map((row) => row.at))
    if (latest - at > leastStepMs) {
      const positions = JSON.stringify(Object.fromEntries(last.map(({ table, id }) => [table, id])))
      return (tx) => insertStep.run(tx, at, latest, at, positions)
    }
    if (step === undefined || step.resumed !== null) return null
    if (at > step.latest) return (tx) => resume.run(tx, at)
    return at - step.until >= minuteMs ? (tx) => liveOn.run(tx, at) : null
  }

  async function configure(tx: Sql, tenants: readonly ConfiguredTenant[]): Promise<void> {
    await clearConfigured.run(tx)
    for (const { tenant, resources, checks, waivers } of tenants)
      await insertConfigured.run(tx, tenant, resources, checks, waivers)
  }

  return {
    noteConfiguration: async ({ at, digest, content, tenants = [] }) => {
      const { last, known } = await database.read(async (tx) => {
        return { last: await lastConfiguration.get(tx), known: await configured.get(tx) }
      })
      if (last === digest && known === tenants.length) return
      const packed = last === digest ? null : await deflated(content)
      await database.write('nothing', async (tx) => {
        await configure(tx, tenants)
        if (packed === null) return
        await insertConfiguration.run(tx, at, digest, packed)
        await begin.run(tx, at)
      })
    },
    noteTenantState: (tenantId, state, at) =>
      writeWhereDue(database, 'nothing', async (tx) => {
        return (await lastState.get(tx, tenantId)) === state
          ? null
          : (tx: Sql) => insertState.run(tx, tenantId, at, state)
      }),
    noteTime: (at) => writeWhereDue(database, 'nothing', (tx) => stepAt(tx, at)),
    recordBounds: () =>
      database.read(async (tx) => {
        return (await bounds.get(tx)) ?? { begins: null, erasedBefore: null }
      }),
    past: async (at, present) =>
      pastReader(database, { at, present, asOf: recordAsOf(await database.read(steps), at, present) }),
  }
}
