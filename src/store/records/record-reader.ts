import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { getTableName } from 'drizzle-orm'
import { memoize } from '../../model/memoize.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { Database, Statement } from '../database.ts'
import type { Dialect, List, Sql as Transaction } from '../db/db.ts'
import { recordSubject, recordSubjects } from '../event-store.ts'
import { changesIn, ofRecords, recordEventColumns, type StoredRecordEvent } from '../history/record-changes.ts'
import type { Condition, MirrorRecord, RecordReader, Scalar, Where } from './query.ts'
import { decode, fieldColumns } from './record-codec.ts'
import { keptCounts } from './record-counts.ts'
import { columnOf, leastKey, type RecordTable, recordTables, type Stored } from './record-tables.ts'

const batchSize = 125
const repeatsBatchSize = 1000

type Value = Stored | List

interface Sql {
  readonly text: string
  readonly values: readonly Value[]
}

type Prepare = <Row>(text: string) => Statement<readonly Value[], Row>

/** Prepared statements by text. */
interface Prepared {
  readonly objects: Prepare
  readonly rows: <Row extends readonly unknown[]>(text: string) => Statement<readonly Value[], Row>
  readonly values: Prepare
}

export function recordReaders(database: Database): (tenantId: number) => RecordReader {
  const prepared = {
    objects: memoize((text: string) => database.prepare<readonly Value[]>(text)),
    rows: memoize((text: string) => database.prepareRows<readonly Value[], readonly unknown[]>(text)),
    values: memoize((text: string) => database.prepareValues<readonly Value[], unknown>(text)),
  } as Prepared
  const repeats = new Map<string, Repeats>()
  return (tenantId) => recordReader({ database, prepared, repeats, tenantId })
}

/** Without type parameters: the columns were written from records of these types. */
type Untyped<Reader> = {
  [Name in keyof Reader]: Reader[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : never
}

interface Repeats {
  readonly counts: string
  readonly change: number
  readonly found: boolean
}

interface Reading {
  readonly database: Database
  readonly prepared: Prepared
  readonly repeats: Map<string, Repeats>
  readonly tenantId: number
}

function recordReader({ database, prepared, repeats, tenantId }: Reading): RecordReader {
  const { isIn, listOf } = database.sql

  async function* batchesInKeyOrder(table: RecordTable): AsyncGenerator<readonly MirrorRecord[]> {
    const key = columnOf(table, table.key)
    const next = prepared.objects<Record<string, Stored>>(
      `${selectOf(table)} where tenant_id = ? and removed_at is null and ${key} > ? order by ${key} limit ${batchSize}`,
    )
    for (let after: Stored = leastKey(table); ; ) {
      const from: Stored = after
      const rows: Record<string, Stored>[] = await database.read((tx) => next.all(tx, tenantId, from))
      if (rows.length === 0) return
      yield rows.map((row) => toRecord(table, row))
      if (rows.length < batchSize) return
      after = rows.at(-1)?.[table.key] ?? null
      await yieldToEventLoop()
    }
  }

  async function* batchesWhere(table: RecordTable, where: Where): AsyncGenerator<readonly MirrorRecord[]> {
    const condition = conditionSql(database.sql, (field) => columnOf(table, field), where)
    const matching = prepared.values<number>(
      `select rid from "${getTableName(table.table)}" where tenant_id = ? and removed_at is null ${condition.text}`,
    )
    const rids = await database.read((tx) => matching.all(tx, tenantId, ...condition.values))
    const select = prepared.objects<Record<string, Stored>>(
      `${selectOf(table)} where ${isIn('rid')} and removed_at is null order by rid`,
    )
    for (let at = 0; at < rids.length; at += batchSize) {
      if (at > 0) await yieldToEventLoop()
      const rows = await database.read((tx) => select.all(tx, listOf(rids.slice(at, at + batchSize))))
      yield rows.map((row) => toRecord(table, row))
    }
  }

  async function count(tx: Transaction, resource: ResourceName, where: Where = {}): Promise<number> {
    const { from, amount, column } = countedFrom(database.sql, recordTables[resource], fieldsOf(where))
    const { text, values } = conditionSql(database.sql, column, where)
    return (await prepared.values<number>(`select ${amount} from ${from} ${text}`).get(tx, tenantId, ...values)) ?? 0
  }

  async function hasRepeats(resource: ResourceName, field: string, since: number | null): Promise<boolean> {
    const name = `${tenantId} ${resource} ${field}`
    const { records, counts, newest, known } = await database.read((tx) =>
      repeatsBefore(tx, resource, name, field, since),
    )
    const found = known?.found ?? (await searchRepeats(recordTables[resource], field, records))
    repeats.set(name, { counts, change: newest, found })
    return found
  }

  /** `known` is the last result if still valid: no record was added, went missing or changed the field. */
  async function repeatsBefore(
    tx: Transaction,
    resource: ResourceName,
    name: string,
    field: string,
    since: number | null,
  ) {
    const { table } = recordTables[resource]
    const missing = prepared.values<number>(
      `select count(*) from "${getTableName(table)}" where tenant_id = ? and missing_since is not null`,
    )
    const newest = (await prepared.values<number>('select coalesce(max(id), 0) from events').get(tx)) ?? 0
    const before = prepared.values<number | null>('select min(id) - 1 from events where data is not null and at >= ?')
    const changedAfter = prepared.objects(
      `select 1 from events where id > ? and tenant_id = ? and ${ofRecords} and subject between ? and ?
         and (kind <> 'record.changed' or data like ?) limit 1`,
    )
    const records = await count(tx, resource)
    const counts = `${records} ${await missing.get(tx, tenantId)}`
    const last =
      repeats.get(name) ??
      (since === null ? null : { counts, change: (await before.get(tx, since)) ?? newest, found: false })
    const ofField = [...recordSubjects(resource), `%"${field}":[%`]
    const isSame =
      last?.counts === counts && (await changedAfter.get(tx, last.change, tenantId, ...ofField)) === undefined
    return { records, counts, newest, known: isSame ? last : null }
  }

  /** Compares digests in batches: grouping half a million rows in SQLite would block the event loop for seconds. */
  async function searchRepeats(table: RecordTable, field: string, records: number): Promise<boolean> {
    const [key, column] = [columnOf(table, table.key), columnOf(table, field)]
    const next = prepared.rows<[Stored, string]>(
      `select ${key}, ${column} from "${getTableName(table.table)}"
       where tenant_id = ? and removed_at is null and missing_since is null and absent_full_syncs = 0 and ${column} <> ''
         and ${key} > ? order by ${key} limit ${repeatsBatchSize}`,
    )
    const read = (after: Stored) => database.read((tx) => next.all(tx, tenantId, after))
    const digests = new Float64Array(records)
    let used = 0
    for (let after: Stored = leastKey(table); ; ) {
      const rows = await read(after)
      for (const [, text] of rows) digests[used++] = digestOf(text.toLowerCase())
      if (rows.length < repeatsBatchSize) break
      after = rows.at(-1)?.[0] ?? null
      await yieldToEventLoop()
    }
    const sorted = digests.subarray(0, used).sort()
    return sorted.some((digest, i) => i > 0 && digest === sorted[i - 1])
  }

  const reader: Untyped<RecordReader> = {
    select: (resource, where) => {
      const table = recordTables[resource]
      return where === undefined ? batchesInKeyOrder(table) : batchesWhere(table, where)
    },
    count: (resource, where) => database.read((tx) => count(tx, resource, where)),
    countBy: (resource, fields, where = {}) =>
      database.read(async (tx) => {
        const table = recordTables[resource]
        const { from, amount, column } = countedFrom(database.sql, table, [...fields, ...fieldsOf(where)])
        const columns = fields.map(column).join(', ')
        const { text, values } = conditionSql(database.sql, column, where)
        const grouped = prepared.rows<Stored[]>(
          `select ${columns}, ${amount} from ${from} ${text} group by ${columns} order by ${columns}`,
        )
        const rows = await grouped.all(tx, tenantId, ...values)
        return rows.map((row) => ({
          values: fields.map((field, i) => decode(table.fields[field] ?? 'text', row[i] ?? null) as Scalar),
          count: Number(row.at(-1)),
        }))
      }),
    duplicates: (resource, field) =>
      database.read((tx) => {
        const table = recordTables[resource]
        const column = columnOf(table, field)
        return prepared
          .objects<{ value: string; count: number }>(
            `select ${column} as value, count(*) as count from "${getTableName(table.table)}"
           where tenant_id = ? and removed_at is null and ${column} is not null
           group by ${column} having count(*) > 1 order by ${column}`,
          )
          .all(tx, tenantId)
      }),
    hasRepeats: (resource, field, since) => hasRepeats(resource, field, since),
    history: (resource, ...keys) =>
      database.read(async (tx) => {
        const select = prepared.objects<StoredRecordEvent>(
          `select ${recordEventColumns('events')} from events where tenant_id = ? and ${ofRecords} and ${isIn('subject')} order by +id`,
        )
        const subjects = keys.map((key) => recordSubject(resource, key))
        return (await select.all(tx, tenantId, listOf(subjects))).flatMap(changesIn)
      }),
  }
  return reader as RecordReader
}

/** In a million texts, one search in 10,000 finds a false repeat; a cryptographic hash takes twenty times as long. */
function digestOf(text: string): number {
  let [high, low] = [0x811c9dc5, 0x1b873593]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    high = Math.imul(high ^ unit, 0x01000193)
    low = Math.imul(low ^ unit, 0x85ebca6b)
    low ^= low >>> 15
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11)
}

function selectOf(table: RecordTable): string {
  const own = [...fieldColumns(table), ...table.own, table.key, 'extra', 'firstSeenAt', 'readAt', 'requestId']
  const columns = [...new Set(own)].map((property) => `${columnOf(table, property)} as "${property}"`)
  return `select ${columns.join(', ')}, case when missing_since is not null or absent_full_syncs > 0 then 1 else 0 end as absent from "${getTableName(table.table)}"`
}

function toRecord(table: RecordTable, row: Record<string, Stored>): MirrorRecord {
  const fields: Record<string, unknown> = {}
  const times: Record<string, number | null> = {}
  for (const [field, kind] of Object.entries(table.fields)) {
    fields[field] = decode(kind, row[field] ?? null)
    if (kind === 'date') times[`${field}Ms`] = row[`${field}Ms`] as number | null
  }
  for (const own of table.own) times[own] = row[own] as number | null
  const extra = row['extra']
  return {
    key: String(row[table.key]),
    fields,
    extra: typeof extra === 'string' ? (JSON.parse(extra) as Record<string, unknown>) : null,
    times,
    firstSeenAt: Number(row['firstSeenAt']),
    readAt: Number(row['readAt']),
    requestId: row['requestId'] as string | null,
    absent: row['absent'] === 1,
  }
}

function countedFrom(words: Dialect, table: RecordTable, fields: readonly string[]) {
  const kept = keptCounts(words, table, fields)
  if (kept !== null) return { from: kept.from, amount: 'sum(count)', column: kept.field }
  return {
    from: `"${getTableName(table.table)}" where tenant_id = ? and removed_at is null`,
    amount: 'count(*)',
    column: (field: string) => columnOf(table, field),
  }
}

function fieldsOf({ all = [], anyOf = [] }: Where): readonly string[] {
  return [...all, ...anyOf.flat()].map(({ field }) => field)
}

type Column = (field: string) => string

function conditionSql(words: Dialect, column: Column, { all = [], anyOf = [] }: Where): Sql {
  const parts = all.map((condition) => oneSql(words, column(condition.field), condition))
  if (anyOf.length > 0) {
    const groups = anyOf.map((group) =>
      joined(
        group.map((condition) => oneSql(words, column(condition.field), condition)),
        ' and ',
      ),
    )
    parts.push(joined(groups, ' or '))
  }
  return { text: parts.map(({ text }) => `and ${text}`).join(' '), values: parts.flatMap(({ values }) => values) }
}

function joined(parts: readonly Sql[], word: string): Sql {
  const text = parts.length === 0 ? 'true' : parts.map((part) => part.text).join(word)
  return { text: `(${text})`, values: parts.flatMap(({ values }) => values) }
}

const bound = (value: Scalar): Stored => (typeof value === 'boolean' ? Number(value) : value)

function oneSql({ isIn, listOf }: Dialect, column: string, condition: Condition): Sql {
  if ('is' in condition) return { text: `${column} is not distinct from ?`, values: [bound(condition.is)] }
  if ('not' in condition) return { text: `${column} is distinct from ?`, values: [bound(condition.not)] }
  if ('atMost' in condition) return { text: `${column} <= ?`, values: [condition.atMost] }
  if ('above' in condition) return { text: `${column} > ?`, values: [condition.above] }
  const [word, list] = 'in' in condition ? ['', condition.in] : ['not', condition.notIn]
  return { text: `${word} ${isIn(column)}`, values: [listOf(list.map(bound))] }
}
