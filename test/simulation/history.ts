interface Version<T> {
  readonly from: number
  readonly value: T
}

/** All values that one thing ever had, each from an instant of the world on. */
export class History<T> {
  readonly #versions: Version<T>[] = []

  constructor(value: T, from: number) {
    this.#versions.push({ from, value })
  }

  get current(): T {
    const last = this.#versions.at(-1)
    if (last === undefined) throw new Error('A history begins with a value')
    return last.value
  }

  /** Every value it ever had. */
  all(): readonly T[] {
    return this.#versions.map(({ value }) => value)
  }

  get since(): number {
    return this.#versions.at(-1)?.from ?? 0
  }

  set(value: T, from: number): void {
    this.#versions.push({ from, value })
  }

  /** Every value it had at some instant of [from, to], oldest first. */
  within(from: number, to: number): readonly T[] {
    const found: T[] = []
    for (let i = this.#versions.length - 1; i >= 0; i--) {
      const version = this.#versions[i]
      if (version === undefined || version.from > to) continue
      found.unshift(version.value)
      if (version.from <= from) break
    }
    return found
  }
}

/** Records by id with all their versions; null while a record does not exist. */
export class RecordHistory<T> {
  readonly #records = new Map<string, History<T | null>>()
  readonly #began: number

  constructor(began: number) {
    this.#began = began
  }

  put(id: string | number, value: T | null, at: number): void {
    const known = this.#records.get(String(id))
    if (known !== undefined) {
      known.set(value, at)
      return
    }
    const history = new History<T | null>(null, this.#began)
    history.set(value, at)
    this.#records.set(String(id), history)
  }

  get(id: string | number): T | null {
    return this.#records.get(String(id))?.current ?? null
  }

  live(): T[] {
    return [...this.#records.values()].flatMap(({ current }) => (current === null ? [] : [current]))
  }

  /** Every form that a record ever had. */
  all(): T[] {
    return [...this.#records.values()].flatMap((history) => history.all().filter((value) => value !== null))
  }

  ids(): IterableIterator<string> {
    return this.#records.keys()
  }

  /** Values of one record at the instants of [from, to]; null means absent. */
  within(id: string | number, from: number, to: number): readonly (T | null)[] {
    return this.#records.get(String(id))?.within(from, to) ?? [null]
  }
}
