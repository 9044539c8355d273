/**
 * Tenants that are worked on at the same time. Each takes some connections, and a process has only so many files; and what
 * they answer together is written before a scrape gets its turn.
 */
export const tenantsAtOnce = 16

/**
 * Does the work of all items, of so many at a time and beginning in their order.
 *
 * @returns what it came to, in the order of the items.
 * @throws the first failure, after which nothing more is begun.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  let failed = false
  async function go(): Promise<void> {
    for (const [i, item] of left) {
      if (failed) return
      results[i] = await work(item)
    }
  }
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, () =>
    go().catch((error: unknown) => {
      failed = true
      throw error
    }),
  )
  await Promise.all(workers)
  return results
}
