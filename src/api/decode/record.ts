import { parseIsoDate, plainUtcMs } from '../../model/dates.ts'
import { type Field, type Fields, idFieldOf, type RecordOf } from '../../model/fields.ts'
import { isGuid } from '../../model/guid.ts'
import { isObject } from '../json.ts'
import type { Reading } from '../reader.ts'
import {
  extraFields,
  fail,
  finish,
  newParseContext,
  noOddities,
  notAnObject,
  odd,
  type ParseContext,
} from './parse-context.ts'
import {
  describedBoolean,
  describedText,
  guidId,
  integerId,
  isIntegerId,
  isShortText,
  isTextId,
  personalText,
  strictBoolean,
  strictDate,
  strictText,
  strictWord,
  wrong,
} from './values.ts'
import type { DescribedTexts } from './withheld.ts'

type Raw = Readonly<Record<string, unknown>>

/** Reads one record by its field table. `latest` is the last plausible time in milliseconds since the epoch. */
export type RecordDecoder<F> = (raw: unknown, latest?: number) => Reading<RecordOf<F>>

interface FieldReader {
  readonly name: string
  readonly kind: Field['kind']
  readonly strict: boolean
  readonly personal: boolean
  /** True if null is neither refused nor counted as a deviation. */
  readonly takesNull: boolean
  readonly nullable: boolean
  readonly optional: boolean
  readonly requiredWith: string | null
  readonly known: readonly string[] | null
  readonly filled: boolean
  readonly pastOnly: boolean
  readonly members: Table | null
}

interface Table {
  readonly readers: readonly FieldReader[]
  readonly byName: ReadonlyMap<string, FieldReader>
  readonly names: ReadonlySet<string>
  readonly idField: string | null
  readonly texts: DescribedTexts
}

export function recordDecoder<const F extends Fields>(fields: F): RecordDecoder<F> {
  const table = tableOf(fields)
  return (raw, latest = Number.POSITIVE_INFINITY) => {
    if (!isObject(raw)) return notAnObject(raw)
    const look = lookAt(table, raw, latest)
    if (look === 'plain') return { ok: true, record: raw as RecordOf<F>, extra: null, oddities: noOddities }
    const context = newParseContext()
    const { record, extra } =
      look === 'good' ? knownAndExtra(context, table, raw) : readObject(context, table, raw, latest)
    return finish(context, record as RecordOf<F>, extra, readableId(table, raw), raw, table.texts)
  }
}

function tableOf(fields: Fields): Table {
  const readers = Object.entries(fields).map(([name, field]) => readerOf(name, field))
  const byName = new Map(readers.map((reader) => [reader.name, reader]))
  return {
    readers,
    byName,
    names: new Set(byName.keys()),
    idField: idFieldOf(fields),
    texts: Object.fromEntries(readers.flatMap(textsOf)),
  }
}

function readerOf(name: string, field: Field): FieldReader {
  const { nullable, optional = false, requiredWith = null } = field
  return {
    name,
    kind: field.kind,
    strict: field.strict === true,
    personal: field.personal === true,
    takesNull: nullable === true || optional,
    nullable: nullable !== undefined || optional,
    optional,
    requiredWith,
    // Known values that come from a setting are compared elsewhere: the decoder has no settings.
    known: field.kind === 'text' && Array.isArray(field.known) ? field.known : null,
    filled: field.kind === 'text' && field.filled === true,
    pastOnly: field.kind === 'date' && field.pastOnly === true,
    members: field.kind === 'list' ? tableOf(field.of) : null,
  }
}

function textsOf({ name, kind, members }: FieldReader): [string, true | DescribedTexts][] {
  if (members !== null) return [[name, members.texts]]
  return kind === 'text' || kind === 'guid' ? [[name, true]] : []
}

/** `good`: all fields are valid; `plain`: also in table order, without others. V8 reads `raw[key]` fast so. */
function lookAt({ readers, byName }: Table, raw: Raw, latest: number): 'plain' | 'good' | 'odd' {
  let seen = 0
  let isPlain = true
  for (const key in raw) {
    let reader = readers[seen]
    if (reader === undefined || reader.name !== key) {
      isPlain = false
      reader = byName.get(key)
      if (reader === undefined) continue
    }
    if (!isGood(reader, raw[key], latest)) return 'odd'
    seen++
  }
  if (seen !== readers.length) return 'odd'
  return isPlain ? 'plain' : 'good'
}

function isGood(reader: FieldReader, value: unknown, latest: number): boolean {
  if (value === null) return reader.takesNull
  switch (reader.kind) {
    case 'integer':
      return isIntegerId(value) && !Object.is(value, -0)
    case 'guid':
      return typeof value === 'string' && isGuid(value)
    case 'text':
      return isGoodText(reader, value)
    case 'flag':
      return typeof value === 'boolean'
    case 'date':
      return typeof value === 'string' && isGoodDate(value, reader.pastOnly ? latest : Number.POSITIVE_INFINITY)
    case 'list':
      return Array.isArray(value) && isGoodList(reader.members, value, latest)
    default:
      throw new TypeError(`Unknown kind of field ${reader.kind satisfies never}`)
  }
}

function isGoodText({ known, filled }: FieldReader, value: unknown): boolean {
  if (!isShortText(value) || !value.isWellFormed()) return false
  return (known === null || known.includes(value)) && !(filled && value.trim() === '')
}

function isGoodDate(text: string, latest: number): boolean {
  const ms = plainUtcMs(text)
  if (ms !== undefined) return ms <= latest
  const parsed = parseIsoDate(text)
  return parsed?.hasOffset === true && parsed.ms <= latest
}

function isGoodList(table: Table | null, list: readonly unknown[], latest: number): boolean {
  if (table === null) return false
  let before = Number.NEGATIVE_INFINITY
  for (const item of list) {
    if (!isObject(item) || lookAt(table, item, latest) !== 'plain') return false
    const id = Number(item[table.idField ?? ''])
    if (id < before) return false
    before = id
  }
  return true
}

type ReadObject = { readonly record: Record<string, unknown>; readonly extra: Record<string, unknown> | null }

function knownAndExtra(context: ParseContext, { readers, names }: Table, raw: Raw): ReadObject {
  const record: Record<string, unknown> = {}
  for (const { name } of readers) record[name] = raw[name]
  return { record, extra: extraFields(context, raw, names) }
}

function readObject(context: ParseContext, table: Table, raw: Raw, latest: number, path = ''): ReadObject {
  const record: Record<string, unknown> = {}
  const listed: Record<string, readonly object[]> = {}
  for (const reader of table.readers) {
    const { name, members } = reader
    if (members === null) record[name] = readValue(context, reader, raw[name], latest, `${path}${name}`)
    else {
      const { items, extra } = readList(context, members, raw[name], latest, `${path}${name}`)
      record[name] = items
      if (extra.length > 0) listed[name] = extra
    }
  }
  for (const { name, requiredWith } of table.readers) {
    if (requiredWith === null || raw[name] !== undefined) continue
    if (record[requiredWith] === true) fail(context, `${path}${name} is missing`)
    else odd(context, 'unknown_value', `${path}${name}`)
  }
  const unknown = extraFields(context, raw, table.names, path)
  if (Object.keys(listed).length === 0) return { record, extra: unknown }
  return { record, extra: Object.assign(unknown ?? (Object.create(null) as Record<string, unknown>), listed) }
}

function readValue(context: ParseContext, reader: FieldReader, value: unknown, latest: number, field: string): unknown {
  if (reader.nullable && (value === null || value === undefined)) {
    const isCounted = value === null ? !reader.takesNull : !reader.optional && reader.requiredWith === null
    if (isCounted) odd(context, 'unknown_value', field)
    return null
  }
  const { kind, strict, known } = reader
  switch (kind) {
    case 'integer':
      return integerId(context, field, value)
    case 'guid':
      return guidId(context, field, value)
    case 'text':
      if (!strict) return describedText(context, field, value)
      if (reader.personal) return personalText(context, field, value)
      if (reader.filled && typeof value === 'string' && value.trim() === '') fail(context, `${field} is empty`)
      return known === null ? strictText(context, field, value) : strictWord(context, field, value, known)
    case 'flag':
      return strict ? strictBoolean(context, field, value) : describedBoolean(context, field, value)
    case 'date':
      return strictDate(context, field, value, reader.pastOnly ? latest : undefined)
    case 'list':
      throw new TypeError(`${field} is a list within a list`)
    default:
      throw new TypeError(`Unknown kind of field ${kind satisfies never}`)
  }
}

/** Sorted by id, because the specification does not define an order, so a different order is not a change. */
function readList(context: ParseContext, table: Table, raw: unknown, latest: number, field: string) {
  const items: Record<string, unknown>[] = []
  const extra: Record<string, unknown>[] = []
  const id = table.idField ?? ''
  if (!Array.isArray(raw)) fail(context, wrong(field, raw, 'an array'))
  else {
    for (const item of raw as readonly unknown[]) {
      if (!isObject(item)) {
        fail(context, wrong(`${field}[]`, item, 'an object'))
        continue
      }
      const read = readObject(context, table, item, latest, `${field}[].`)
      items.push(read.record)
      if (read.extra !== null) extra.push({ [id]: read.record[id], ...read.extra })
    }
  }
  const byId = (a: Raw, b: Raw) => Number(a[id]) - Number(b[id])
  return { items: items.sort(byId), extra: extra.sort(byId) }
}

function readableId({ idField, byName }: Table, raw: Raw): string | number | null {
  const reader = byName.get(idField ?? '')
  const value = raw[reader?.name ?? '']
  if (reader?.kind === 'integer') return isIntegerId(value) ? value : null
  return reader !== undefined && isTextId(value) ? value : null
}
