import { type Field, type Fields, idFieldOf, type RecordOf } from '../../model/fields.ts'
import { isObject, kindOf } from '../../model/text/json.ts'
import { dayMs } from '../../model/time.ts'
import type { Oddity, Reading } from '../reader.ts'
import { fail, failKind, isIntegerId, isTextId, odd, type ParseContext, readValue } from './values.ts'
import { storable, storableField, storableName } from './withheld.ts'

type Raw = Readonly<Record<string, unknown>>

/** Reads one record by its field table. `latest` is the last plausible time in milliseconds since the epoch. */
export type RecordDecoder<F> = (raw: unknown, latest?: number) => Reading<RecordOf<F>>

interface Table {
  readonly readers: readonly FieldReader[]
  readonly names: ReadonlySet<string>
  readonly idField: string
  /** `permissions[].` for the members of that list. */
  readonly prefix: string
}

interface FieldReader {
  readonly name: string
  readonly field: Field
  /** The name with those of the lists around it. */
  readonly path: string
  readonly members: Table | null
}

/** A record with more unknown fields is not plausible. */
const maxExtra = 1000

const noOddities: readonly Oddity[] = Object.freeze([])

/** Last plausible instant of a creation or change, in milliseconds since the epoch; unlimited without a server time. */
export function latestDate(serverTime: number | null): number {
  return serverTime === null ? Number.POSITIVE_INFINITY : serverTime + dayMs
}

export function recordDecoder<const F extends Fields>(fields: F): RecordDecoder<F> {
  const table = tableOf(fields, '')
  return (raw, latest = Number.POSITIVE_INFINITY) => {
    const context: ParseContext = { latest, problem: null, oddities: null }
    if (!isObject(raw)) {
      const problem = `The record is ${kindOf(raw)}, not an object`
      return { ok: false, id: null, raw: storable(raw), problem }
    }
    const { record, extra } = readObject(context, table, raw)
    const { problem, oddities } = context
    if (problem === null) return { ok: true, record: record as RecordOf<F>, extra, oddities: oddities ?? noOddities }
    return { ok: false, id: readableId(fields, table, raw), raw: storable(raw), problem }
  }
}

function tableOf(fields: Fields, prefix: string): Table {
  const readers = Object.entries(fields).map(([name, field]): FieldReader => {
    const path = `${prefix}${name}`
    return { name, field, path, members: field.kind === 'list' ? tableOf(field.of, `${path}[].`) : null }
  })
  const names = new Set(readers.map(({ name }) => name))
  return { readers, names, idField: idFieldOf(fields) ?? '', prefix }
}

type ReadObject = { readonly record: Record<string, unknown>; readonly extra: Record<string, unknown> | null }

function readObject(context: ParseContext, table: Table, raw: Raw): ReadObject {
  const record: Record<string, unknown> = {}
  let extra: Record<string, unknown> | null = null
  for (const { name, field, path, members } of table.readers) {
    if (members !== null) {
      const list = readList(context, members, raw[name], path)
      record[name] = list.items
      if (list.extra.length > 0) extra = Object.assign(extra ?? emptyExtra(), { [name]: list.extra })
    } else if (field.kind !== 'list') record[name] = readValue(context, field, path, raw[name])
  }
  for (const { name, field, path } of table.readers) {
    if (field.requiredWith === undefined || raw[name] !== undefined) continue
    if (record[field.requiredWith] === true) fail(context, `${path} is missing`)
    else odd(context, 'unknown_value', path)
  }
  const unknown = extraFields(context, table, raw)
  return { record, extra: unknown === null ? extra : Object.assign(unknown, extra) }
}

/** Without a prototype, `__proto__` is an ordinary name. */
const emptyExtra = () => Object.create(null) as Record<string, unknown>

function extraFields(context: ParseContext, { names, prefix }: Table, raw: Raw): Record<string, unknown> | null {
  let unknown: string[] | null = null
  for (const key in raw) {
    if (names.has(key) || !Object.hasOwn(raw, key)) continue
    unknown ??= []
    unknown.push(key)
  }
  if (unknown === null) return null
  if (unknown.length > maxExtra) return fail(context, `More than ${maxExtra} unknown fields in one object`)
  const extra = emptyExtra()
  for (const key of unknown.sort()) {
    const name = storableName(key)
    extra[name] = storableField(key, raw[key])
    odd(context, 'unknown_field', `${prefix}${name.toWellFormed()}`)
  }
  return extra
}

/** Sorted by id, because the specification does not define an order, so a different order is not a change. */
function readList(context: ParseContext, table: Table, raw: unknown, path: string) {
  const items: Record<string, unknown>[] = []
  const extra: Record<string, unknown>[] = []
  const { idField } = table
  if (!Array.isArray(raw)) {
    failKind(context, path, raw, 'an array')
    return { items, extra }
  }
  for (const item of raw as readonly unknown[]) {
    if (!isObject(item)) {
      failKind(context, `${path}[]`, item, 'an object')
      continue
    }
    const read = readObject(context, table, item)
    items.push(read.record)
    if (read.extra !== null) extra.push({ [idField]: read.record[idField], ...read.extra })
  }
  const byId = (a: Raw, b: Raw) => Number(a[idField]) - Number(b[idField])
  return { items: items.sort(byId), extra: extra.sort(byId) }
}

function readableId(fields: Fields, { idField }: Table, raw: Raw): string | number | null {
  const value = raw[idField]
  if (fields[idField]?.kind === 'integer') return isIntegerId(value) ? value : null
  return fields[idField] !== undefined && isTextId(value) ? value : null
}
