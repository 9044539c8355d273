/** `json`: visible ASCII by its hexadecimal number, or as itself after a backslash; `all`: also JavaScript, addresses, HTML. */
export type Escapes = 'json' | 'all'

const code = (character: string) => character.charCodeAt(0)
const [backslash, percent, ampersand, quote, apostrophe, slash] = [...'\\%&"\'/'].map(code)
const [hash, semicolon, zero, smallU, smallX] = [...'#;0ux'].map(code)
const beginsEscape = new Uint8Array(256)
for (const byte of Buffer.from('\\%&')) beginsEscape[byte] = 1
const lowerCase = 0x20
const longestZeros = 6

interface Entity {
  readonly name: Buffer
  readonly character: number
}

/** By the first letter of their name. */
const entitiesByFirst: Entity[][] = []
for (const [name, character] of Object.entries({
  amp: '&',
  apos: "'",
  bsol: '\\',
  equals: '=',
  gt: '>',
  lowbar: '_',
  lt: '<',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quot: '"',
  sol: '/',
})) {
  const known = entitiesByFirst[code(name)] ?? []
  entitiesByFirst[code(name)] = [...known, { name: Buffer.from(`${name};`), character: code(character) }]
}

/** Length of the escape times 256 plus its character; 0 where no escape begins. */
type Escape = number
const none: Escape = 0
const escapeOf = (length: number, character: number): Escape => length * 256 + character

function escapeAt(bytes: Uint8Array, at: number, escapes: Escapes): Escape {
  const first = bytes[at]
  if (first === backslash) {
    const next = bytes[at + 1] ?? 0
    if (next === quote || next === backslash || next === slash) return escapeOf(2, next)
    const isNumber = (next | lowerCase) === smallU && bytes[at + 2] === zero && bytes[at + 3] === zero
    if (isNumber) return hexEscape(bytes, at + 4, 6)
    if (escapes === 'json') return none
    if (next === apostrophe) return escapeOf(2, next)
    return (next | lowerCase) === smallX ? hexEscape(bytes, at + 2, 4) : none
  }
  if (escapes === 'json') return none
  if (first === percent) return hexEscape(bytes, at + 1, 3)
  if (first !== ampersand) return none
  return bytes[at + 1] === hash ? numberedEntity(bytes, at) : namedEntity(bytes, at)
}

/** Two digits of visible ASCII, or DEL. */
function hexEscape(bytes: Uint8Array, digitsAt: number, length: number): Escape {
  const character = digitAt(bytes, digitsAt) * 16 + digitAt(bytes, digitsAt + 1)
  return character >= 0x20 && character <= 0x7f ? escapeOf(length, character) : none
}

/** -256 for anything but a hexadecimal digit, so that no number with it is visible ASCII. */
function digitAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | lowerCase
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -256
}

function numberedEntity(bytes: Uint8Array, at: number): Escape {
  const isHex = ((bytes[at + 2] ?? 0) | lowerCase) === smallX
  const base = isHex ? 16 : 10
  let end = at + (isHex ? 3 : 2)
  for (let zeros = 0; zeros < longestZeros && bytes[end] === zero; zeros++) end++
  let character = 0
  for (const first = end; end < first + 3 && bytes[end] !== semicolon; end++) {
    const digit = digitAt(bytes, end)
    if (digit < 0 || digit >= base) return none
    character = character * base + digit
  }
  const isVisible = character >= 0x20 && character <= 0x7f
  return isVisible && bytes[end] === semicolon ? escapeOf(end + 1 - at, character) : none
}

function namedEntity(bytes: Uint8Array, at: number): Escape {
  const candidates = entitiesByFirst[(bytes[at + 1] ?? 0) | lowerCase]
  if (candidates === undefined) return none
  for (const { name, character } of candidates) {
    let length = 1
    while (length < name.length && ((bytes[at + 1 + length] ?? 0) | lowerCase) === (name[length] ?? 0)) length++
    if (length === name.length) return escapeOf(1 + length, character)
  }
  return none
}

/** Work on a large text. Yields the number of bytes looked at, so that other work may run between. */
export type Steps<Result> = Generator<number, Result, void>

const blockBytes = 2 ** 20

/** Resolves at most so many layers of escapes, one within the other; in linear time. */
export function resolveEscapes(body: Buffer, escapes: Escapes, maxLayers: number): Steps<Buffer> {
  return resolveLayers(Buffer.from(body), null, escapes, maxLayers)
}

/** The place in the body of each byte of the resolved text, and of its end: four times the memory of the body. */
export function* locateEscapes(body: Buffer, escapes: Escapes, maxLayers: number): Steps<Uint32Array> {
  const starts = new Uint32Array(body.length + 1)
  for (const [from, end] of blocks(starts.length)) {
    for (let at = from; at < end; at++) starts[at] = at
    yield end - from
  }
  yield* resolveLayers(Buffer.from(body), starts, escapes, maxLayers)
  return starts
}

/** Changes both. */
function* resolveLayers(body: Buffer, starts: Uint32Array | null, escapes: Escapes, maxLayers: number): Steps<Buffer> {
  let bytes = body
  for (let layer = 0; layer < maxLayers; layer++) {
    const reached = { bytes, starts, escapes, from: 0, to: 0 }
    while (reached.from < bytes.length) {
      const before = reached.from
      resolveBlock(reached)
      yield reached.from - before
    }
    if (starts !== null) starts[reached.to] = starts[bytes.length] ?? 0
    if (reached.to === bytes.length) break
    bytes = bytes.subarray(0, reached.to)
  }
  return bytes
}

interface Layer {
  readonly bytes: Buffer
  readonly starts: Uint32Array | null
  readonly escapes: Escapes
  from: number
  to: number
}

/** In place, for a character is shorter than its escape. */
function resolveBlock(layer: Layer): void {
  const { bytes, starts, escapes } = layer
  let { from, to } = layer
  for (const end = Math.min(bytes.length, from + blockBytes); from < end; to++) {
    const byte = bytes[from] ?? 0
    const found = beginsEscape[byte] === 1 ? escapeAt(bytes, from, escapes) : none
    if (starts !== null) starts[to] = starts[from] ?? 0
    bytes[to] = found === none ? byte : found % 256
    from += found === none ? 1 : found >> 8
  }
  layer.from = from
  layer.to = to
}

/** True when a letter or digit may be escaped, as hardly any server does; also within further layers of `%25`. */
export function* hasEscapedWord(body: Buffer): Steps<boolean> {
  if (!body.includes('\\u00') && !body.includes('\\x') && !body.includes('%') && !body.includes('&#')) return false
  for (const [from, end] of blocks(body.length)) {
    if (hasEscapedWordIn(body, from, end)) return true
    yield end - from
  }
  return false
}

/** Beginning and end of each part of a text that is looked at without a pause. */
export function* blocks(length: number, first = 0): Generator<readonly [from: number, end: number]> {
  for (let from = first; from < length; from += blockBytes) yield [from, Math.min(length, from + blockBytes)]
}

function hasEscapedWordIn(body: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    if (beginsEscape[body[at] ?? 0] !== 1) continue
    const character = escapeAt(body, at, 'all') % 256
    const isLayer = character === percent && body[at] === percent
    if (isLayer || isWord(character)) return true
  }
  return false
}

function isWord(character: number): boolean {
  const letter = character | lowerCase
  return (character >= 0x30 && character <= 0x39) || (letter >= 0x61 && letter <= 0x7a)
}
