/** First id and length of each run, four bytes each. A page is mostly one run: its records were created together. */
export function packRids(rids: readonly number[]): Buffer {
  const runs: number[] = []
  let next = -1
  for (const rid of Uint32Array.from(rids).sort()) {
    if (rid === next - 1) continue
    if (rid === next) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
    else runs.push(rid, 1)
    next = rid + 1
  }
  return Buffer.from(Uint32Array.from(runs).buffer)
}

export function countRids(blob: Buffer): number {
  let count = 0
  for (const [, length] of runsOf(blob)) count += length
  return count
}

export function unpackRids(blob: Buffer): readonly number[] {
  return [...runsOf(blob)].flatMap(([first, length]) => Array.from({ length }, (_, i) => first + i))
}

export function rangeOfRids(blob: Buffer): readonly [lowest: number, highest: number] {
  const runs = [...runsOf(blob)]
  const [last, length] = runs.at(-1) ?? [0, 1]
  return [runs[0]?.[0] ?? 0, last + length - 1]
}

/** A bitmap: small and fast, because ids are mostly consecutive. */
export interface RidSet {
  has(rid: number): boolean
  hasAny(blob: Buffer): boolean
  add(blob: Buffer): void
}

export function ridSet(blobs: readonly Buffer[]): RidSet {
  let bits = new Uint8Array(1024)
  const set: RidSet = {
    has: (rid) => ((bits[rid >>> 3] ?? 0) & (1 << (rid & 7))) !== 0,
    hasAny(blob) {
      for (const [first, length] of runsOf(blob)) {
        for (let rid = first; rid < first + length; rid++) if (set.has(rid)) return true
      }
      return false
    },
    add(blob) {
      const bytes = (rangeOfRids(blob)[1] >>> 3) + 1
      if (bytes > bits.length) {
        const more = new Uint8Array(bytes * 2)
        more.set(bits)
        bits = more
      }
      for (const [first, length] of runsOf(blob)) {
        for (let rid = first; rid < first + length; rid++) bits[rid >>> 3] = (bits[rid >>> 3] ?? 0) | (1 << (rid & 7))
      }
    },
  }
  for (const blob of blobs) set.add(blob)
  return set
}

function* runsOf(blob: Buffer): Generator<readonly [first: number, length: number]> {
  // `Uint32Array` needs an aligned buffer, and a blob may begin at any offset.
  const copy = new Uint8Array(blob.byteLength)
  copy.set(blob)
  const runs = new Uint32Array(copy.buffer)
  for (let i = 0; i + 1 < runs.length; i += 2) yield [runs[i] ?? 0, runs[i + 1] ?? 0]
}
