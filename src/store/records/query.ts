import type { ResourceName } from '../../model/resource-names.ts'

export type Scalar = string | number | boolean | null

/** Fields have the API's names. */
export interface MirrorRecord {
  /** The key as text: `userId`, lower-cased `clientId` and so on. */
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Fields that the specification does not name, as sent; null = none. */
  readonly extra: Readonly<Record<string, unknown>> | null
  /** Milliseconds since the epoch: dates as `<field>Ms`, and the mirror's own times such as `detailReadAt`. */
  readonly times: Readonly<Record<string, number | null>>
  readonly firstSeenAt: number
  readonly readAt: number
  readonly requestId: string | null
  /** True if the last complete full sync did not contain the record. */
  readonly absent: boolean
  /** True if the tenant has a version since that cannot be read. */
  readonly quarantined: boolean
}

export interface RecordReader {
  /** All live records in key order; yields batches, to bound memory. */
  select(resource: ResourceName): AsyncIterable<readonly MirrorRecord[]>
  /** The live records with these keys. */
  byKeys(resource: ResourceName, keys: readonly string[]): Promise<readonly MirrorRecord[]>
  /** Keys of all live records. */
  keys(resource: ResourceName): Promise<readonly string[]>
  /** Oldest first. */
  history(resource: ResourceName, ...keys: readonly string[]): Promise<readonly ChangeRow[]>
  /**
   * Changes of all records, then or later in milliseconds since the epoch, oldest first; `before` of a removal is the record,
   * null after its erasure.
   */
  changesSince(resource: ResourceName, since: number): Promise<readonly ChangeRow[]>
}

export interface ChangeRow {
  /** Of the event, which may have changed several fields. */
  readonly id: number
  readonly resource: string
  readonly key: string
  readonly at: number
  readonly kind: 'created' | 'changed' | 'removed' | 'returned'
  readonly field: string | null
  readonly before: unknown
  readonly after: unknown
  readonly requestId: string | null
}
