import type { ResourceName } from '../../../src/model/resource-names.ts'
import { parseIsoDate } from '../../../src/model/time.ts'
import { resources } from '../../../src/resources/index.ts'
import type { ChangeRow, MirrorRecord, RecordReader } from '../../../src/store/records/query.ts'
import { now } from './facts.ts'

type Fields = Readonly<Record<string, unknown>>

/** A record as a tenant sends it, with times that only the mirror knows where they matter. */
export type Given = Fields | readonly [fields: Fields, times: Readonly<Record<string, number>>]

export type Records = Readonly<Partial<Record<ResourceName, readonly Given[]>>>

export interface Past {
  readonly changes?: readonly ChangeRow[]
  /** Keys of records that the last complete full sync did not show. */
  readonly absent?: readonly string[]
  /** True: every field that is not strict is null, as after an odd value. */
  readonly odd?: boolean
}

/** These records as the mirror gives them, in batches of two so that batches matter. */
export function readerOf(records: Records, { changes = [], absent = [], odd = false }: Past = {}): RecordReader {
  const live = (resource: ResourceName) =>
    (records[resource] ?? [])
      .map((given) => toRecord(resource, given, absent))
      .map((record) => (odd ? { ...record, fields: withoutLenient(resource, record.fields) } : record))
      .sort((a, b) => a.key.localeCompare(b.key, 'en', { numeric: true }))
  return {
    async *select(resource) {
      const found = live(resource)
      for (let at = 0; at < found.length; at += 2) yield found.slice(at, at + 2)
    },
    keys: async (resource) => live(resource).map(({ key }) => key),
    byKeys: async (resource, keys) => live(resource).filter(({ key }) => keys.includes(key)),
    history: async (resource, ...keys) =>
      changes.filter((change) => change.resource === resource && keys.includes(change.key)),
    changesSince: async (resource, since) =>
      changes.filter((change) => change.resource === resource && change.at >= since),
  }
}

function withoutLenient(resource: ResourceName, fields: Fields): Fields {
  const described: Fields = resources.find(({ name }) => name === resource)?.fields ?? {}
  const isStrict = (name: string) => (described[name] as { readonly strict?: true } | undefined)?.strict === true
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isStrict(name) ? value : null]))
}

function toRecord(resource: ResourceName, given: Given, absent: readonly string[]): MirrorRecord {
  const [fields, own] = isTimed(given) ? given : [given, {}]
  const idField = resources.find(({ name }) => name === resource)?.idField ?? null
  const times: Record<string, number | null> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (/(At|Date)$/.test(name)) times[`${name}Ms`] = parseIsoDate(value)?.ms ?? null
  }
  if (resource === 'documents') times['touchedAtMs'] = times['updatedAtMs'] ?? times['createdAtMs'] ?? null
  if (resource === 'users') times['detailReadAt'] = null
  const key = idField === null ? '0' : String(fields[idField]).toLowerCase()
  return {
    key,
    fields,
    extra: null,
    times: { ...times, readAt: now, ...own },
    // Written again since, so that its history is read.
    firstSeenAt: own['firstSeenAt'] ?? now - 1,
    readAt: now,
    requestId: 'req-1',
    absent: absent.includes(key),
    quarantined: false,
  }
}

function isTimed(given: Given): given is readonly [Fields, Readonly<Record<string, number>>] {
  return Array.isArray(given)
}
