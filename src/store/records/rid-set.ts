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

function rangeOfRids(blob: Buffer): readonly [lowest: number, highest: number] {
  const runs = [...runsOf(blob)]
  const [last, length] = runs.at(-1) ?? [0, 1]
  return [runs[0]?.[0] ?? 0, last + length - 1]
}

/** A bitmap: small and fast, because ids are mostly consecutive. */
export interface RidSet {
  has(rid: number): boolean
  hasAny(blob: Buffer): boolean
  add(blob: Buffer): void
  size(): number
  /** Ids in the range that are not in the set, as ranges. */
  gaps(from: number, to: number): readonly (readonly [from: number, to: number])[]
}

export function ridSet(blobs: readonly Buffer[]): RidSet {
  let bits = new Uint8Array(1024)
  const set: RidSet = {
    has: (rid) => ((bits[rid >>> 3] ?? 0) & (1 << (rid & 7))) !== 0,
    hasAny(blob) {
      for (const [first, length] of runsOf(blob)) {
        const last = first + length - 1
        for (let at = first >>> 3; at <= last >>> 3; at++) {
          if (((bits[at] ?? 0) & maskOf(at, first, last)) !== 0) return true
        }
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
        const last = first + length - 1
        for (let at = first >>> 3; at <= last >>> 3; at++) bits[at] = (bits[at] ?? 0) | maskOf(at, first, last)
      }
    },
    size() {
      let size = 0
      for (let byte of bits) for (; byte !== 0; byte &= byte - 1) size++
      return size
    },
    gaps(from, to) {
      const gaps: [number, number][] = []
      for (let rid = from; rid <= to; ) {
        if (set.has(rid)) {
          rid += bits[rid >>> 3] === 255 ? 8 - (rid & 7) : 1
          continue
        }
        const first = rid
        while (rid <= to && !set.has(rid)) rid++
        gaps.push([first, rid - 1])
      }
      return gaps
    },
  }
  for (const blob of blobs) set.add(blob)
  return set
}

/** Bits of a run of ids in the byte at `at`. */
function maskOf(at: number, first: number, last: number): number {
  const from = at === first >>> 3 ? first & 7 : 0
  const to = at === last >>> 3 ? last & 7 : 7
  return (255 << from) & (255 >>> (7 - to))
}

function* runsOf(blob: Buffer): Generator<readonly [first: number, length: number]> {
  // `Uint32Array` needs an aligned buffer, and a blob may begin at any offset.
  const copy = new Uint8Array(blob.byteLength)
  copy.set(blob)
  const runs = new Uint32Array(copy.buffer)
  for (let i = 0; i + 1 < runs.length; i += 2) yield [runs[i] ?? 0, runs[i + 1] ?? 0]
}
