import { createHash } from 'node:crypto'

/** The one source of chance of a simulated life: it depends on nothing but its seed (sfc32). */
export interface Prng {
  /** A number in [0, 1). */
  next(): number
  /** An integer in [low, high], both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** The stream to draw from for one purpose: this one, unless streams are keyed. */
  stream(key: string): Prng
}

/**
 * Each purpose has a stream of its own, so that one draw more or fewer for one purpose changes nothing for the others. A stream
 * begins again each time that it is asked for.
 */
export function createKeyedPrng(seed: number): Prng {
  const stream = (key: string) => createPrng(createHash('sha256').update(`${seed} ${key}`).digest().readUInt32LE())
  return { ...createPrng(seed), stream }
}

export function createPrng(seed: number): Prng {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = seed >>> 0
  let d = 1
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return (t >>> 0) / 0x1_0000_0000
  }
  for (let i = 0; i < 15; i++) next()
  const prng: Prng = {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick(list) {
      const found = list[Math.floor(next() * list.length)]
      if (found === undefined) throw new RangeError('Nothing to pick from')
      return found
    },
    stream: () => prng,
  }
  return prng
}

/** Something that may happen, with its weight among its like. */
export type Chance = readonly [weight: number, act: () => unknown]

/** Runs one of several actions, each with a probability by its weight. */
export function doOne(prng: Prng, chances: readonly Chance[]): void {
  let left = prng.next() * chances.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, act] of chances) {
    left -= weight
    if (left < 0) {
      act()
      return
    }
  }
}
