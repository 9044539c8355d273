/**
 * `json`: visible ASCII as `\u00XX`, or after a backslash; `all`: also escapes of JavaScript, URLs and HTML. Both also
 * remove characters without width.
 */
export type Escapes = 'json' | 'all'

const code = (character: string) => character.charCodeAt(0)
const [backslash, percent, ampersand, quote, apostrophe, slash] = [...'\\%&"\'/'].map(code)
const [hash, semicolon, zero, smallU, smallX] = [...'#;0ux'].map(code)
const beginsEscape = new Uint8Array(256)
for (const byte of Buffer.from('\\%&')) beginsEscape[byte] = 1

const invisible = ['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'].map((character) => ({
  written: Buffer.from(character),
  code: code(character),
}))
const invisibleCodes = new Set(invisible.map(({ code }) => code))
for (const { written } of invisible) beginsEscape[written[0] ?? 0] = 1

const lowerCase = 0x20
const longestZeros = 6

interface Entity {
  readonly name: Buffer
  readonly character: number
}

/** HTML entities by the first letter of their name. */
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

/** Length of the escape times 256, plus its character, or 0 if it resolves to nothing; 0 where no escape begins. */
type Escape = number
const none: Escape = 0
const nothing = 0
const escapeOf = (length: number, character: number): Escape => length * 256 + character

function escapeAt(bytes: Uint8Array, at: number, escapes: Escapes): Escape {
  const first = bytes[at]
  if (first === backslash) {
    const next = bytes[at + 1] ?? 0
    if (next === quote || next === backslash || next === slash) return escapeOf(2, next)
    if ((next | lowerCase) === smallU) return numberedEscape(bytes, at + 2)
    if (escapes === 'json') return none
    if (next === apostrophe) return escapeOf(2, next)
    return (next | lowerCase) === smallX ? hexEscape(bytes, at + 2, 4) : none
  }
  if ((first ?? 0) > 0x7f) return invisibleAt(bytes, at)
  if (escapes === 'json') return none
  if (first === percent && ((bytes[at + 1] ?? 0) | lowerCase) === smallU) return numberedEscape(bytes, at + 2)
  if (first === percent) return hexEscape(bytes, at + 1, 3)
  if (first !== ampersand) return none
  return bytes[at + 1] === hash ? numberedEntity(bytes, at) : namedEntity(bytes, at)
}

/** Four digits of visible ASCII, of DEL or of a character without width. */
function numberedEscape(bytes: Uint8Array, at: number): Escape {
  const character = numberAt(bytes, at) * 256 + numberAt(bytes, at + 2)
  if (invisibleCodes.has(character)) return escapeOf(6, nothing)
  return isVisible(character) ? escapeOf(6, character) : none
}

function invisibleAt(bytes: Uint8Array, at: number): Escape {
  for (const { written } of invisible) {
    let length = 0
    while (length < written.length && bytes[at + length] === written[length]) length++
    if (length === written.length) return escapeOf(length, nothing)
  }
  return none
}

const isVisible = (character: number) => character >= 0x20 && character <= 0x7f

/** Two digits of visible ASCII, or DEL. */
function hexEscape(bytes: Uint8Array, digitsAt: number, length: number): Escape {
  const character = numberAt(bytes, digitsAt)
  return isVisible(character) ? escapeOf(length, character) : none
}

/** Value of two hexadecimal digits; negative if they are not digits. */
function numberAt(bytes: Uint8Array, at: number): number {
  const number = digitAt(bytes, at) * 16 + digitAt(bytes, at + 1)
  return number < 0 ? -0x10000 : number
}

/** Value of a hexadecimal digit; -256 for another character, so that no sum with it is visible ASCII. */
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
  return isVisible(character) && bytes[end] === semicolon ? escapeOf(end + 1 - at, character) : none
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

/** Byte sequences with which an escape begins. */
const begins = [...['\\', '%', '&'].map((sign) => Buffer.from(sign)), ...invisible.map(({ written }) => written)]

export function mayBeEscaped(body: Buffer): boolean {
  return begins.some((sign) => body.includes(sign))
}

/** Work on a large text. Yields the number of bytes processed, so that other work can run in between. */
export type Steps<Result> = Generator<number, Result, void>

const blockBytes = 2 ** 20

/** Resolves up to `maxLayers` nested layers of escapes, in linear time. */
export function resolveEscapes(body: Buffer, escapes: Escapes, maxLayers: number): Steps<Buffer> {
  return resolveLayers(Buffer.from(body), null, escapes, maxLayers)
}

/** Offset in the body of each byte of the resolved text, and of its end. Takes four times the memory of the body. */
export function* locateEscapes(body: Buffer, escapes: Escapes, maxLayers: number): Steps<Uint32Array> {
  const starts = new Uint32Array(body.length + 1)
  for (const [from, end] of blocks(starts.length)) {
    for (let at = from; at < end; at++) starts[at] = at
    yield end - from
  }
  yield* resolveLayers(Buffer.from(body), starts, escapes, maxLayers)
  return starts
}

/** Changes `body` and `starts` in place. */
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

/** Works in place, because a character is shorter than its escape. */
function resolveBlock(layer: Layer): void {
  const { bytes, starts, escapes } = layer
  let { from, to } = layer
  for (const end = Math.min(bytes.length, from + blockBytes); from < end; ) {
    const byte = bytes[from] ?? 0
    const found = beginsEscape[byte] === 1 ? escapeAt(bytes, from, escapes) : none
    if (starts !== null) starts[to] = starts[from] ?? 0
    const character = found === none ? byte : found % 256
    bytes[to] = character
    from += found === none ? 1 : found >> 8
    if (found === none || character !== nothing) to++
  }
  layer.from = from
  layer.to = to
}

const signs = ['\\u00', '\\u20', '\\ufe', '\\uFE', '\\uFe', '\\ufE', '\\x', '%', '&#'].map((sign) => Buffer.from(sign))
signs.push(...invisible.map(({ written }) => written))

/**
 * True if a letter or digit may be escaped, which hardly any server does, or is within further layers of `%25`, or if a
 * character without width may be inside a secret.
 */
export function* hasEscapedWord(body: Buffer): Steps<boolean> {
  if (!signs.some((sign) => body.includes(sign))) return false
  for (const [from, end] of blocks(body.length)) {
    if (hasEscapedWordIn(body, from, end)) return true
    yield end - from
  }
  return false
}

/** Start and end of each part of a text that is processed without a pause. */
export function* blocks(length: number, first = 0): Generator<readonly [from: number, end: number]> {
  for (let from = first; from < length; from += blockBytes) yield [from, Math.min(length, from + blockBytes)]
}

function hasEscapedWordIn(body: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    if (beginsEscape[body[at] ?? 0] !== 1) continue
    const found = escapeAt(body, at, 'all')
    const character = found % 256
    const isLayer = character === percent && body[at] === percent
    const isWithin = found !== none && character === nothing && isVisible(body[at - 1] ?? 0)
    if (isLayer || isWithin || isWord(character)) return true
  }
  return false
}

function isWord(character: number): boolean {
  const letter = character | lowerCase
  return (character >= 0x30 && character <= 0x39) || (letter >= 0x61 && letter <= 0x7a)
}
