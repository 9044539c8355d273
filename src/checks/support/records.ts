import { identityOf } from '../../evaluate/findings/identity.ts'
import { toIso } from '../../model/time.ts'
import type { MirrorRecord } from '../../store/records/query.ts'

/** Id of the response that contained the present values of a record, and the time it was read. */
export function readingOf(record: MirrorRecord): { readonly requestId: string | null; readonly readAt: string } {
  return { requestId: record.requestId, readAt: toIso(record.readAt) }
}

/** Evidence from a record: the named fields as the tenant sent them, and their source. */
export function factsOf(record: MirrorRecord, names: readonly string[]): Record<string, unknown> {
  return { ...Object.fromEntries(names.map((name) => [name, record.fields[name] ?? null])), ...readingOf(record) }
}

/** The same of a user or an API client, with what tells it from another one that gets its id. */
export function identifiedFacts(record: MirrorRecord, names: readonly string[]): Record<string, unknown> {
  return { ...factsOf(record, names), ...identityOf(record) }
}

export function secretFacts(client: MirrorRecord): Record<string, unknown> {
  return identifiedFacts(client, ['clientId', 'name', 'roleName', 'secretExpirationDate', 'createdAt'])
}

export function documentFacts(document: MirrorRecord): Record<string, unknown> {
  return factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt'])
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

/** When the client's secret expires, in milliseconds since the epoch; null = never. */
export function expiryOf({ times }: MirrorRecord): number | null {
  return times['secretExpirationDateMs'] ?? null
}

const longest = 80

/** `2026-03-01 09:30 UTC`. */
export function onDate(ms: number): string {
  return `${toIso(ms).slice(0, -8).replace('T', ' ')} UTC`
}

/** A text from the tenant in quotes, with control characters escaped, cut after 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text)
}

/** A plain word such as `Invited` as it is; any other text quoted. */
export function plainOrQuoted(text: string): string {
  return /^[A-Za-z]{1,30}$/.test(text) ? text : quoted(text)
}

/** `1 day`, `30 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
