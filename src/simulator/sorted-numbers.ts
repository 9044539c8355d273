/** A sorted set of integers with rank queries. */
export class SortedNumbers {
  #values: number[] = []

  get size(): number {
    return this.#values.length
  }

  countBelow(bound: number): number {
    let low = 0
    let high = this.#values.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#values[middle] ?? 0) < bound) low = middle + 1
      else high = middle
    }
    return low
  }

  has(value: number): boolean {
    return this.#values[this.countBelow(value)] === value
  }

  add(value: number): void {
    const at = this.countBelow(value)
    if (this.#values[at] !== value) this.#values.splice(at, 0, value)
  }

  addAll(values: readonly number[]): void {
    const all = new Set(this.#values)
    for (const value of values) all.add(value)
    this.#values = [...all].sort((a, b) => a - b)
  }

  /** The n-th (from 0) of the integers 0, 1, 2, … that are not in the set. */
  nthAbsent(n: number): number {
    let low = 0
    let high = this.#values.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#values[middle] ?? 0) - middle <= n) low = middle + 1
      else high = middle
    }
    return n + low
  }
}
