import { blocks, type Steps } from './escapes.ts'
import { normalOf } from './normal-form.ts'

/** Start and end offset in a text. */
export interface Place {
  readonly at: number
  readonly end: number
}

/** Length of the character sequences (grams) by which common runs are found. */
const gramLength = 4

/** Shorter runs are not searched for. */
const shortestRun = 8

/** Places tried for one gram: keeps the search linear for repetitive texts. */
const mostTried = 16

/**
 * Parts of a secret that are not secret or may be JSON syntax: the header of a JWT, which all tokens of an issuer
 * share; the id of a client, which is a GUID; and characters that separate texts or numbers.
 */
const between = /^eyJ[\w-]+\.|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|["\\{}[\],:\s]+/i

/** Least length of a slice to mask: 16 for secrets of up to 32 characters, because 24 would be most of the secret. */
function leastOf({ length }: Buffer): number {
  if (length < 24) return length
  return length <= 32 ? 16 : 24
}

/** Search for the slices of secrets and of their encoded forms. */
export interface SliceSearch {
  /** False if the text cannot contain a slice, even if characters other than letters and digits are escaped in it. */
  mayBeIn(bytes: Buffer): Steps<boolean>
  slicesIn(bytes: Buffer): Steps<readonly Place[]>
}

/** `slicesIn` requires a text without escapes (`resolved`), `mayBeIn` does not. */
export function sliceSearch(secrets: readonly string[]): SliceSearch {
  const slices = tableOf(secrets.flatMap(formsOf))
  return {
    *mayBeIn(bytes) {
      for (const [from, end] of blocks(bytes.length)) {
        if (hasRun(bytes, from, end, slices)) return true
        yield end - from
      }
      return false
    },
    *slicesIn(bytes) {
      const places: Place[] = []
      let at = 0
      let free = 0
      for (const [from, end] of blocks(bytes.length)) {
        while (at < end) {
          const run = runAt(bytes, at, free, slices, 24)
          if (run !== null) {
            places.push({ at: afterEscape(bytes, run.at), end: run.end })
            free = run.end
          }
          at = Math.max(at + slices.stride, free)
        }
        yield end - from
      }
      return places
    },
  }
}

/** Length of an unescaped part of a slice that triggers the full search; lower values cost more time. */
const unescaped = 16

/** The parts of a secret that are secret, without short ones. */
export function partsOf(text: string): readonly string[] {
  return text.split(between).filter((part) => part === text || part.length >= 24)
}

/** The forms in which a secret may be written, without the parts that are not secret. */
export function formsOf(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const hex = bytes.toString('hex')
  return [
    ...partsOf(text).flatMap((part) => [normalOf(part), Buffer.from(part, 'latin1')]),
    ...[0, 1, 2].map((before) => Buffer.from(base64After(before, bytes))),
    Buffer.from(hex),
    Buffer.from(hex.toUpperCase()),
  ].filter(({ length }) => length >= shortestRun)
}

/** Base64 of the secret after `before` other bytes, as in `user:secret`, without characters that depend on these. */
function base64After(before: number, bytes: Buffer): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return encoded.slice(Math.ceil((before * 8) / 6)).replace(/=+$/, '')
}

interface Table {
  /** All forms, separated by zeros. */
  readonly text: Buffer
  /** By offset in `text`: the least length of a slice of that form. */
  readonly least: Uint8Array
  /** By hash of a gram: 1 = `text` contains such a gram. */
  readonly isUsed: Uint8Array
  /** By hash of a gram: its last offset in `text`; 0 = none. */
  readonly last: Int32Array
  /** By offset in `text`: the previous offset with the same hash; 0 = none. */
  readonly earlier: Int32Array
  /** Distance of the places tried, such that each run contains a whole gram at one of them. */
  readonly stride: number
}

function tableOf(forms: readonly Buffer[]): Table {
  const text = Buffer.concat([Buffer.alloc(1), ...forms.flatMap((form) => [form, Buffer.alloc(1)])])
  const least = new Uint8Array(text.length)
  // Sparse, so that most lookups end at an unused entry, but small enough for the processor's cache.
  const isUsed = new Uint8Array(Math.min(2 ** 17, 2 ** Math.ceil(Math.log2(text.length * 64))))
  const last = new Int32Array(isUsed.length)
  const earlier = new Int32Array(text.length)
  let from = 1
  for (const form of forms) {
    least.fill(leastOf(form), from, from + form.length)
    for (let at = from; at <= from + form.length - gramLength; at++) {
      const hash = hashAt(text, at, last.length)
      earlier[at] = last[hash] ?? 0
      last[hash] = at
      isUsed[hash] = 1
    }
    from += form.length + 1
  }
  const shortest = Math.min(unescaped, ...forms.map(({ length }) => length))
  return { text, least, isUsed, last, earlier, stride: shortest - gramLength + 1 }
}

/** @param size a power of two. */
function hashAt(bytes: Buffer, at: number, size: number): number {
  const gram =
    (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
  return (Math.imul(gram, 0x9e3779b1) >>> 8) & (size - 1)
}

function hasRun(bytes: Buffer, from: number, end: number, table: Table): boolean {
  const { isUsed, stride } = table
  // Reads past the end of the text would make each read slower.
  const to = Math.min(end - 1, bytes.length - gramLength)
  for (let at = from; at <= to; at += stride) {
    if (isUsed[hashAt(bytes, at, isUsed.length)] === 1 && runAt(bytes, at, 0, table, unescaped) !== null) return true
  }
  return false
}

/** The longest slice around `at` that begins at `free` or later. */
function runAt(bytes: Buffer, at: number, free: number, { text, least, last, earlier }: Table, most: number) {
  let place = last[hashAt(bytes, at, last.length)] ?? 0
  let longest: Place | null = null
  for (let tried = 0; place !== 0 && tried < mostTried; tried++, place = earlier[place] ?? 0) {
    let end = 0
    while (text[place + end] !== 0 && text[place + end] === bytes[at + end]) end++
    if (end < gramLength) continue
    let before = 0
    while (at - before > free && text[place - before - 1] === bytes[at - before - 1]) {
      if (text[place - before - 1] === 0) break
      before++
    }
    const isSlice = before + end >= Math.min(most, least[place] ?? most)
    if (isSlice && (longest === null || before + end > longest.end - longest.at))
      longest = { at: at - before, end: at + end }
  }
  return longest
}

/** Where a slice begins within an escape, returns the end of that escape: cutting it would break the JSON. */
function afterEscape(bytes: Buffer, at: number): number {
  const around = bytes.subarray(Math.max(0, at - 5), at + 5).toString('latin1')
  const before = Math.min(at, 5)
  for (const { index, 0: written } of around.matchAll(/\\(?:u[0-9a-f]{4}|[^u])/gi))
    if (index < before && index + written.length > before) return at + index + written.length - before
  return at
}
