import { mix } from './random.ts'

const hex = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'))

function word(n: number): string {
  return `${hex[n >>> 24]}${hex[(n >>> 16) & 255]}${hex[(n >>> 8) & 255]}${hex[n & 255]}`
}

/** A version 4 GUID that starts with `head` as eight digits; the rest depends on `head` and `seed`. */
export function guidWithHead(head: number, seed: number): string {
  const a = mix(seed, head)
  const b = mix(a, 1)
  const c = mix(a, 2)
  const middle = word(((a & 0xffff0fff) | 0x4000) >>> 0)
  const tail = word(((b & 0x3fffffff) | 0x80000000) >>> 0)
  return `${word(head)}-${middle.slice(0, 4)}-${middle.slice(4)}-${tail.slice(0, 4)}-${tail.slice(4)}${word(c)}`
}

export function guidFor(seed: number, n: number): string {
  return guidWithHead(mix(seed, n), mix(n, seed))
}
