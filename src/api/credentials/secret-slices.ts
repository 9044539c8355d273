import { blocks, type Steps } from './escapes.ts'
import { normalOf } from './normal-form.ts'

/** Beginning and end in a text. */
export interface Place {
  readonly at: number
  readonly end: number
}

/** Characters by which common runs are found. */
const gramLength = 4

/** A shorter run is never looked for. */
const shortestRun = 8

/** Of a text that repeats itself, not every place is tried, so that the search takes linear time. */
const mostTried = 16

/**
 * Parts of a secret that others may know or that may be structure of JSON: the header of a JWT, which all tokens of an
 * issuer have; the id of a client, which is a GUID; and characters that are not in one text or number.
 */
const between = /^eyJ[\w-]+\.|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|["\\{}[\],:\s]+/i

/** Half of a secret of 32 characters is already 16, so a slice of 24 would be most of it. */
function leastOf({ length }: Buffer): number {
  if (length < 24) return length
  return length <= 32 ? 16 : 24
}

/** Search for the slices of secrets and of their encoded forms. */
export interface SliceSearch {
  /** False when the text cannot contain a slice, also where other characters than letters and digits are escaped. */
  mayBeIn(bytes: Buffer): Steps<boolean>
  slicesIn(bytes: Buffer): Steps<readonly Place[]>
}

/** The texts that are searched are resolved (`resolved`), but for `mayBeIn`. */
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

/** Part of a slice without an escape, by which a text is chosen for the full search: a lower number costs more time. */
const unescaped = 16

/** What others do not know of a secret, but for short parts. */
export function partsOf(text: string): readonly string[] {
  return text.split(between).filter((part) => part === text || part.length >= 24)
}

/** A secret as it is written, without the parts that others may know. */
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

/** Base64 of a text with so many other bytes before the secret, as of `user:secret`, without what depends on them. */
function base64After(before: number, bytes: Buffer): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return encoded.slice(Math.ceil((before * 8) / 6)).replace(/=+$/, '')
}

interface Table {
  /** All forms, each between two zeros. */
  readonly text: Buffer
  /** By place in the text: the least length of a slice of that form. */
  readonly least: Uint8Array
  /** By the hash of a gram: 1 = some place in the text has it. */
  readonly isUsed: Uint8Array
  /** By the hash of a gram, the last place in the text that has it; 0 = none. */
  readonly last: Int32Array
  /** By place in the text, an earlier one with the same hash; 0 = none. */
  readonly earlier: Int32Array
  /** Each run that is looked for contains a gram at one of the places that this is apart. */
  readonly stride: number
}

function tableOf(forms: readonly Buffer[]): Table {
  const text = Buffer.concat([Buffer.alloc(1), ...forms.flatMap((form) => [form, Buffer.alloc(1)])])
  const least = new Uint8Array(text.length)
  // Sparse, because most text ends its search at an empty place, but small enough for a processor's cache.
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

/** The longest slice around this place that begins no earlier than `free`. */
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

/** The first characters of a slice may end an escape, as in a line break before it: JSON would be broken without them. */
function afterEscape(bytes: Buffer, at: number): number {
  const around = bytes.subarray(Math.max(0, at - 5), at + 5).toString('latin1')
  const before = Math.min(at, 5)
  for (const { index, 0: written } of around.matchAll(/\\(?:u[0-9a-f]{4}|[^u])/gi))
    if (index < before && index + written.length > before) return at + index + written.length - before
  return at
}
