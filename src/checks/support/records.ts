import { maxUnevaluatedIds } from '../../evaluate/check.ts'
import type { FieldsOf, MirrorRecord, RecordReader, WhereOn } from '../../mirror/records/query.ts'
import { toIso } from '../../model/dates.ts'
import type { ResourceName } from '../../model/resource-names.ts'

/** By which answer, and when, the present values of a record were brought. */
export function readingOf(record: MirrorRecord): { readonly requestId: string | null; readonly readAt: string } {
  return { requestId: record.requestId, readAt: toIso(record.readAt) }
}

/** Raw facts of a record for a finding's evidence: the named fields as the tenant sent them, and their reading. */
export function factsOf(record: MirrorRecord, names: readonly string[]): Record<string, unknown> {
  return { ...Object.fromEntries(names.map((name) => [name, record.fields[name] ?? null])), ...readingOf(record) }
}

/** A time of a record in milliseconds since the epoch. Throws when the mirror has none, so that nothing passes by it. */
export function timeOf(record: MirrorRecord, name: string): number {
  const ms = record.times[name]
  if (typeof ms !== 'number') throw new TypeError(`The mirror has no ${name} of record ${record.key}`)
  return ms
}

/** A text field; null when the tenant sent none. */
export function textOf(record: MirrorRecord, name: string): string | null {
  const value = record.fields[name]
  return typeof value === 'string' ? value : null
}

/** The one record of a resource that has but one. */
export async function onlyRecord<Name extends ResourceName>(
  reader: RecordReader,
  resource: Name,
): Promise<MirrorRecord<FieldsOf<Name>> | null> {
  for await (const [record] of reader.select(resource)) if (record !== undefined) return record
  return null
}

/** Tells whether a record is among those that meet the conditions; they are read once, when first asked, so keep them few. */
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

/** So many records are looked at to name those that cannot be evaluated. */
const mostLookedAt = 5000

/** Keys of the first records that meet the conditions, as many as are told of those that cannot be evaluated. */
export async function firstKeys<Name extends ResourceName>(
  reader: RecordReader,
  resource: Name,
  where: WhereOn<Name>,
  isMeant: (record: MirrorRecord<FieldsOf<Name>>) => boolean = () => true,
): Promise<readonly string[]> {
  const keys: string[] = []
  let looked = 0
  for await (const batch of reader.select(resource, where)) {
    for (const record of batch) if (keys.length < maxUnevaluatedIds && isMeant(record)) keys.push(record.key)
    looked += batch.length
    if (keys.length === maxUnevaluatedIds || looked >= mostLookedAt) break
  }
  return keys
}

async function keysOf(batches: AsyncIterable<readonly { readonly key: string }[]>): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for await (const batch of batches) for (const { key } of batch) keys.add(key)
  return keys
}

/** Hands over batches with each item changed. */
export async function* mapBatches<From, To>(
  batches: AsyncIterable<readonly From[]> | Iterable<readonly From[]>,
  change: (item: From) => To,
): AsyncIterable<readonly To[]> {
  for await (const batch of batches) yield batch.map(change)
}
