/** Record ids packed for a blob, four bytes each. */
export function packRids(rids: readonly number[]): Buffer {
  const packed = Uint32Array.from(rids)
  return Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
}

/** All ids of the blobs in ascending order; repeats stay. */
export function sortedRids(blobs: readonly Buffer[]): Uint32Array {
  const total = blobs.reduce((sum, blob) => sum + blob.byteLength / 4, 0)
  const all = new Uint32Array(total)
  let at = 0
  for (const blob of blobs) {
    const bytes = new Uint8Array(all.buffer, at * 4, blob.byteLength)
    bytes.set(blob)
    at += blob.byteLength / 4
  }
  return all.sort()
}

/** Ids of `live` that `seen` does not hold; both ascending. */
export function ridsWithout(live: Uint32Array, seen: Uint32Array): number[] {
  const absent: number[] = []
  let j = 0
  for (const rid of live) {
    while (j < seen.length && (seen[j] ?? 0) < rid) j++
    if (seen[j] !== rid) absent.push(rid)
  }
  return absent
}
