import { hash } from 'node:crypto'

export type RequestIdUse = 'new' | 'replayed' | 'reused'

const firstCapacity = 64

/** Request ids and server times of the last answers, as digests of 12 bytes, so that many tenants fit into memory. */
export class SeenAnswers {
  readonly #capacity: number
  #idHigh = new Uint32Array(firstCapacity)
  #idLow = new Uint32Array(firstCapacity)
  /** 0 = the id came with several times and identifies no answer. */
  #time = new Uint32Array(firstCapacity)
  #count = 0
  #next = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** `replayed`: id and time of an earlier answer; `reused`: the id came with another time. */
  note(id: string, time: string): RequestIdUse {
    const digest = hash('sha256', id, 'buffer')
    const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4)]
    const timeDigest = hash('sha256', time, 'buffer').readUInt32LE(0) || 1
    const known = this.#find(high, low)
    if (known !== -1) {
      if (this.#time[known] === timeDigest) return 'replayed'
      this.#time[known] = 0
      return 'reused'
    }
    if (this.#next === this.#idHigh.length) this.#grow()
    this.#idHigh[this.#next] = high
    this.#idLow[this.#next] = low
    this.#time[this.#next] = timeDigest
    this.#count = Math.max(this.#count, this.#next + 1)
    this.#next = (this.#next + 1) % this.#capacity
    return 'new'
  }

  #find(high: number, low: number): number {
    let at = this.#idHigh.indexOf(high)
    while (at !== -1 && (at >= this.#count || this.#idLow[at] !== low)) at = this.#idHigh.indexOf(high, at + 1)
    return at
  }

  #grow(): void {
    const size = Math.min(this.#idHigh.length * 2, this.#capacity)
    const larger = (old: Uint32Array) => {
      const grown = new Uint32Array(size)
      grown.set(old)
      return grown
    }
    this.#idHigh = larger(this.#idHigh)
    this.#idLow = larger(this.#idLow)
    this.#time = larger(this.#time)
  }
}
