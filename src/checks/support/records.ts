import { maxUnevaluatedIds } from '../../evaluate/check.ts'
import { toIso } from '../../model/dates.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import type { FieldsOf, MirrorRecord, RecordReader, WhereOn } from '../../store/records/query.ts'

/** Id of the response that contained the present values of a record, and the time it was read. */
export function readingOf(record: MirrorRecord): { readonly requestId: string | null; readonly readAt: string } {
  return { requestId: record.requestId, readAt: toIso(record.readAt) }
}

/** Evidence from a record: the named fields as the tenant sent them, and their source. */
export function factsOf(record: MirrorRecord, names: readonly string[]): Record<string, unknown> {
  return { ...Object.fromEntries(names.map((name) => [name, record.fields[name] ?? null])), ...readingOf(record) }
}

/** A time of a record in milliseconds since the epoch. Throws when the mirror has none, so that the check does not pass. */
export function timeOf(record: MirrorRecord, name: string): number {
  const ms = record.times[name]
  if (typeof ms !== 'number') throw new TypeError(`The mirror has no ${name} of record ${record.key}`)
  return ms
}

export function textOf(record: MirrorRecord, name: string): string | null {
  const value = record.fields[name]
  return typeof value === 'string' ? value : null
}

/** The record of a resource with a single record; null before it is mirrored. */
export async function onlyRecord<Name extends ResourceName>(
  reader: RecordReader,
  resource: Name,
): Promise<MirrorRecord<FieldsOf<Name>> | null> {
  for await (const [record] of reader.select(resource)) if (record !== undefined) return record
  return null
}

/** A test whether a record meets the conditions. It reads all matching keys at the first call, so use it for few records. */
export function amongFew<Name extends ResourceName>(
  reader: RecordReader,
  resource: Name,
  where: WhereOn<Name>,
): (key: string) => Promise<boolean> {
  let keys: Promise<ReadonlySet<string>> | null = null
  return async (key) => {
    keys ??= keysOf(reader.select(resource, where))
    return (await keys).has(key)
  }
}

/** Records that `firstKeys` reads at most. */
const maxRecordsRead = 5000

/** Keys of the first records that meet the conditions, at most `maxUnevaluatedIds`. */
export async function firstKeys<Name extends ResourceName>(
  reader: RecordReader,
  resource: Name,
  where: WhereOn<Name>,
  isWanted: (record: MirrorRecord<FieldsOf<Name>>) => boolean = () => true,
): Promise<readonly string[]> {
  const keys: string[] = []
  let recordsRead = 0
  for await (const batch of reader.select(resource, where)) {
    for (const record of batch) if (keys.length < maxUnevaluatedIds && isWanted(record)) keys.push(record.key)
    recordsRead += batch.length
    if (keys.length === maxUnevaluatedIds || recordsRead >= maxRecordsRead) break
  }
  return keys
}

async function keysOf(batches: AsyncIterable<readonly { readonly key: string }[]>): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for await (const batch of batches) for (const { key } of batch) keys.add(key)
  return keys
}

export async function* mapBatches<From, To>(
  batches: AsyncIterable<readonly From[]> | Iterable<readonly From[]>,
  change: (item: From) => To,
): AsyncIterable<readonly To[]> {
  for await (const batch of batches) yield batch.map(change)
}
