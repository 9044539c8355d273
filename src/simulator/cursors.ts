import { createHmac } from 'node:crypto'
import type { Key } from './ordered-store.ts'

export type Position =
  | { readonly kind: 'keyset'; readonly key: Key | null }
  | { readonly kind: 'offset'; readonly offset: number }

/** The content of a cursor: the position and, within a filtered list, the filter (epoch milliseconds). */
export interface CursorContent {
  readonly position: Position
  readonly updatedAfter: number | null
}

export interface CursorCodec {
  /** `scope` names the endpoint, and the tenant if cursors are bound to it. */
  encode(scope: string, content: CursorContent): string
  /** Null when the cursor belongs to another scope, was altered or invalidated. */
  decode(scope: string, cursor: string): CursorContent | null
  invalidateAll(): void
}

function pack({ position, updatedAfter }: CursorContent): unknown[] {
  if (position.kind === 'offset') return ['o', updatedAfter, position.offset]
  return position.key === null ? ['s', updatedAfter] : ['k', updatedAfter, position.key.sort, position.key.id]
}

function unpack(packed: readonly [string, number | null, number, number | string]): CursorContent {
  const [kind, updatedAfter, a, b] = packed
  if (kind === 'o') return { position: { kind: 'offset', offset: a }, updatedAfter }
  return { position: { kind: 'keyset', key: kind === 's' ? null : { sort: a, id: b } }, updatedAfter }
}

/** Opaque cursors with a keyed checksum that detects cursors from elsewhere. */
export function createCursorCodec(seed: number): CursorCodec {
  let epoch = 0
  const sign = (scope: string, payload: string) =>
    createHmac('sha256', `cursor key ${seed} ${epoch}`).update(`${scope}\n${payload}`).digest('base64url').slice(0, 16)
  return {
    encode(scope, content) {
      const payload = Buffer.from(JSON.stringify(pack(content))).toString('base64url')
      return `${payload}${sign(scope, payload)}`
    },
    decode(scope, cursor) {
      const payload = cursor.slice(0, -16)
      if (payload === '' || sign(scope, payload) !== cursor.slice(-16)) return null
      return unpack(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    },
    invalidateAll() {
      epoch++
    },
  }
}
