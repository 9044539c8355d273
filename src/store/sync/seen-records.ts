import type { Sql } from '../db/db.ts'

/** A set of record ids: a bitmap, because ids are mostly consecutive. */
export class RidSet {
  #bits = new Uint8Array(1024)

  has(rid: number): boolean {
    return ((this.#bits[rid >>> 3] ?? 0) & (1 << (rid & 7))) !== 0
  }

  add(rids: Iterable<number>): void {
    for (const rid of rids) {
      if (rid >>> 3 >= this.#bits.length) {
        const more = new Uint8Array((rid >>> 3) * 2)
        more.set(this.#bits)
        this.#bits = more
      }
      this.#bits[rid >>> 3] = (this.#bits[rid >>> 3] ?? 0) | (1 << (rid & 7))
    }
  }
}

/** The form in which a page of a full sync stores the ids of its records. */
export function packRids(rids: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(rids).buffer)
}

function* unpacked(blob: Buffer): Generator<number> {
  for (let at = 0; at < blob.length; at += 4) yield blob.readUInt32LE(at)
}

export async function readSeen(sql: Sql, fullSyncId: number): Promise<RidSet> {
  const seen = new RidSet()
  const text = 'select rids from full_sync_pages where full_sync_id = ?'
  for (const blob of await sql<Buffer>(text, [fullSyncId], 'values')) seen.add(unpacked(blob))
  return seen
}
