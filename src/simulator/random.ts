/** A whole number from 0 to 2^32 - 1 that depends on both. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

/** FNV-1a. */
export function hashText(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h >>> 0
}

export interface Random {
  below(bound: number): number
  chance(probability: number): boolean
}

export function createRandom(seed: number): Random {
  let step = 0
  const next = () => mix(seed, step++) / 0x1_0000_0000
  return {
    below: (bound) => Math.floor(next() * bound),
    chance: (probability) => next() < probability,
  }
}

export function pick<const L extends readonly [unknown, ...unknown[]]>(list: L, hash: number): L[number] {
  return list[hash % list.length] ?? list[0]
}

const word = (n: number) => (n >>> 0).toString(16).padStart(8, '0')

/** A version 4 GUID that starts with `head` as eight digits; the rest depends on `head` and `seed`. */
export function guidWithHead(head: number, seed: number): string {
  const a = mix(seed, head)
  const b = mix(a, 1)
  const middle = word((a & 0xffff0fff) | 0x4000)
  const tail = word((b & 0x3fffffff) | 0x80000000)
  return `${word(head)}-${middle.slice(0, 4)}-${middle.slice(4)}-${tail.slice(0, 4)}-${tail.slice(4)}${word(mix(a, 2))}`
}

export function guidFor(seed: number, n: number): string {
  return guidWithHead(mix(seed, n), mix(n, seed))
}
