export interface Key {
  readonly sort: number
  readonly id: number | string
}

function compare(a: Key, b: Key): number {
  if (a.sort !== b.sort) return a.sort - b.sort
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

/** A test may give a record an id that is no id. */
function indexOf(id: unknown): string {
  return typeof id === 'object' ? JSON.stringify(id) : String(id).toLowerCase()
}

/** Records in the order of their keys. Ids are found in any letter case. */
export class Collection<T> {
  readonly keyOf: (record: T) => Key
  #sorted: T[]
  readonly #byId: Map<string, T>

  constructor(records: readonly T[], keyOf: (record: T) => Key) {
    this.keyOf = keyOf
    this.#sorted = records.toSorted((a, b) => compare(keyOf(a), keyOf(b)))
    this.#byId = new Map(records.map((record) => [indexOf(keyOf(record).id), record]))
  }

  get size(): number {
    return this.#sorted.length
  }

  all(): readonly T[] {
    return this.#sorted
  }

  at(rank: number): T | undefined {
    return this.#sorted[rank]
  }

  get(id: number | string): T | undefined {
    return this.#byId.get(indexOf(id))
  }

  /** Adds a record, or replaces that with its id. */
  add(record: T): void {
    const key = this.keyOf(record)
    this.remove(key.id)
    this.#byId.set(indexOf(key.id), record)
    this.#sorted = this.#sorted.toSpliced(this.rankAfter(key), 0, record)
  }

  remove(id: number | string): boolean {
    const record = this.get(id)
    if (record === undefined) return false
    this.#byId.delete(indexOf(this.keyOf(record).id))
    this.#sorted = this.#sorted.toSpliced(this.rankAfter(this.keyOf(record)) - 1, 1)
    return true
  }

  /** Number of records removed. */
  removeWhere(matches: (record: T) => boolean): number {
    const before = this.#sorted.length
    this.#sorted = this.#sorted.filter((record) => {
      const isGone = matches(record)
      if (isGone) this.#byId.delete(indexOf(this.keyOf(record).id))
      return !isGone
    })
    return before - this.#sorted.length
  }

  /** Number of records up to the key. */
  rankAfter(key: Key): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const record = this.#sorted[middle]
      if (record !== undefined && compare(this.keyOf(record), key) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
