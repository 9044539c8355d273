/** Groups items into arrays of `size`. */
export async function* batches<T>(items: AsyncIterable<T>, size = 200): AsyncIterable<readonly T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
