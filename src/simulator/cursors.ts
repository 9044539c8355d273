import { createHmac } from 'node:crypto'
import type { Collection, Key } from './collection.ts'
import type { CursorKind } from './readings.ts'

/** Where a page starts: after a key (null = at the first record), or at a rank. */
export type Position = { readonly after: Key | null } | { readonly offset: number }

/** The content of a cursor: the position and, within a filtered list, the filter (epoch milliseconds). */
export interface CursorContent {
  readonly position: Position
  readonly updatedAfter: number | null
}

/** Opaque cursors with a keyed checksum that detects cursors from elsewhere. */
export class Cursors {
  readonly #seed: number
  #epoch = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** `scope` names the endpoint, and the tenant if cursors are bound to it. */
  encode(scope: string, content: CursorContent): string {
    const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
    return `${payload}${this.#sign(scope, payload)}`
  }

  /** Null when the cursor belongs to another scope, was altered or invalidated. */
  decode(scope: string, cursor: string): CursorContent | null {
    const payload = cursor.slice(0, -16)
    if (payload === '' || this.#sign(scope, payload) !== cursor.slice(-16)) return null
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  }

  invalidateAll(): void {
    this.#epoch++
  }

  #sign(scope: string, payload: string): string {
    const hmac = createHmac('sha256', `cursor key ${this.#seed} ${this.#epoch}`)
    return hmac.update(`${scope}\n${payload}`).digest('base64url').slice(0, 16)
  }
}

export function firstPosition(kind: CursorKind): Position {
  return kind === 'offset' ? { offset: 0 } : { after: null }
}

/** The page of at most `limit` matching records from a position. */
export function readPage<T>(all: Collection<T>, from: Position, limit: number, matches: (record: T) => boolean) {
  const start = 'offset' in from ? from.offset : from.after === null ? 0 : all.rankAfter(from.after)
  const records: T[] = []
  let rank = start
  let hasMore = false
  for (; rank < all.size; rank++) {
    const record = all.at(rank)
    if (record === undefined || !matches(record)) continue
    hasMore = records.length === limit
    if (hasMore) break
    records.push(record)
  }
  if ('offset' in from) return { records, hasMore, next: { offset: rank } }
  const last = rank > start ? all.at(rank - 1) : undefined
  return { records, hasMore, next: last === undefined ? from : { after: all.keyOf(last) } }
}
