/** The result of `ask` for each key, one after the other. */
export async function eachOf<Key, T>(keys: readonly Key[], ask: (key: Key) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (const key of keys) results.push(await ask(key))
  return results
}
