import { SortedNumbers } from './sorted-numbers.ts'

export interface Key {
  readonly sort: number
  readonly id: number | string
}

/** Negative, zero or positive when `a` is before, equal to or after `b`. */
export function compareKeys(a: Key, b: Key): number {
  if (a.sort !== b.sort) return a.sort - b.sort
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

/** Records in feed order, computed by index when read. */
export interface LazyBase<T> {
  readonly size: number
  keyAt(index: number): Key
  recordAt(index: number): T
  indexOf(id: number | string): number
}

/**
 * Records in feed order: a lazy base without memory cost, and an overlay of changed, removed, added and moved records.
 * Finds the start of a page in logarithmic time, by key or by rank.
 */
export class OrderedStore<T> {
  readonly #base: LazyBase<T>
  readonly #keyOf: (record: T) => Key
  readonly #removed = new SortedNumbers()
  readonly #changed = new Map<number, T>()
  readonly #extra: T[] = []
  readonly #extraById = new Map<number | string, T>()

  constructor(base: LazyBase<T>, keyOf: (record: T) => Key) {
    this.#base = base
    this.#keyOf = keyOf
  }

  get size(): number {
    return this.#base.size - this.#removed.size + this.#extra.length
  }

  keyOf(record: T): Key {
    return this.#keyOf(record)
  }

  get(id: number | string): T | undefined {
    const extra = this.#extraById.get(id)
    if (extra !== undefined) return extra
    const index = this.#liveIndex(id)
    return index < 0 ? undefined : this.#recordAt(index)
  }

  seeded(index: number): T | undefined {
    if (index < 0 || index >= this.#base.size || this.#removed.has(index)) return undefined
    return this.#recordAt(index)
  }

  add(record: T): void {
    const { id } = this.#keyOf(record)
    this.remove(id)
    this.#extra.splice(this.#extraFrom(this.#keyOf(record), false), 0, record)
    this.#extraById.set(id, record)
  }

  replace(id: number | string, record: T): void {
    const index = this.#extraById.has(id) ? -1 : this.#liveIndex(id)
    if (index >= 0 && compareKeys(this.#base.keyAt(index), this.#keyOf(record)) === 0) {
      this.#changed.set(index, record)
      return
    }
    this.remove(id)
    this.add(record)
  }

  remove(id: number | string): boolean {
    const extra = this.#extraById.get(id)
    if (extra !== undefined) {
      this.#extraById.delete(id)
      this.#extra.splice(this.#extraFrom(this.#keyOf(extra), true), 1)
      return true
    }
    const index = this.#liveIndex(id)
    if (index < 0) return false
    this.#removed.add(index)
    this.#changed.delete(index)
    return true
  }

  removeWhere(matches: (record: T) => boolean): T[] {
    const gone = [...this.after(null)].filter(matches)
    const indexes: number[] = []
    for (const record of gone) {
      const { id } = this.#keyOf(record)
      if (this.#extraById.has(id)) this.remove(id)
      else {
        const index = this.#base.indexOf(id)
        indexes.push(index)
        this.#changed.delete(index)
      }
    }
    this.#removed.addAll(indexes)
    return gone
  }

  /** Records after a key (null = all), in order. Do not change the store during the iteration. */
  *after(key: Key | null): Generator<T, void, undefined> {
    let index = key === null ? 0 : this.#baseFrom(key)
    let at = key === null ? 0 : this.#extraFrom(key, false)
    for (;;) {
      while (index < this.#base.size && this.#removed.size > 0 && this.#removed.has(index)) index++
      const extra = this.#extra[at]
      if (index >= this.#base.size) {
        if (extra === undefined) return
        at++
        yield extra
      } else if (extra !== undefined && compareKeys(this.#keyOf(extra), this.#base.keyAt(index)) < 0) {
        at++
        yield extra
      } else {
        yield this.#recordAt(index++)
      }
    }
  }

  at(rank: number): T | undefined {
    const live = this.#base.size - this.#removed.size
    if (rank < 0 || rank >= live + this.#extra.length) return undefined
    // Binary search for the number of extra records among the first `rank` records.
    let low = Math.max(0, rank - live)
    let high = Math.min(rank, this.#extra.length)
    while (low < high) {
      const middle = (low + high) >>> 1
      const extra = this.#extra[middle]
      const key = this.#base.keyAt(this.#removed.nthAbsent(rank - middle - 1))
      if (extra !== undefined && compareKeys(this.#keyOf(extra), key) < 0) low = middle + 1
      else high = middle
    }
    const extra = this.#extra[low]
    if (rank - low >= live) return extra
    const index = this.#removed.nthAbsent(rank - low)
    if (extra !== undefined && compareKeys(this.#keyOf(extra), this.#base.keyAt(index)) < 0) return extra
    return this.#recordAt(index)
  }

  *fromRank(rank: number): Generator<T, void, undefined> {
    const first = this.at(rank)
    if (first === undefined) return
    yield first
    yield* this.after(this.#keyOf(first))
  }

  *overlay(): Generator<T, void, undefined> {
    yield* this.#changed.values()
    yield* this.#extra
  }

  #recordAt(index: number): T {
    return this.#changed.get(index) ?? this.#base.recordAt(index)
  }

  #liveIndex(id: number | string): number {
    const index = this.#base.indexOf(id)
    return index >= 0 && !this.#removed.has(index) ? index : -1
  }

  #baseFrom(key: Key): number {
    let low = 0
    let high = this.#base.size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareKeys(this.#base.keyAt(middle), key) <= 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Index of the first extra record after the key, or at it when `including`. */
  #extraFrom(key: Key, including: boolean): number {
    let low = 0
    let high = this.#extra.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const record = this.#extra[middle]
      const order = record === undefined ? 1 : compareKeys(this.#keyOf(record), key)
      if (order < 0 || (order === 0 && !including)) low = middle + 1
      else high = middle
    }
    return low
  }
}

export function emptyBase<T>(): LazyBase<T> {
  const absent = (): never => {
    throw new RangeError('Cannot read a record of an empty base')
  }
  return { size: 0, keyAt: absent, recordAt: absent, indexOf: () => -1 }
}
