import { yieldAfter } from '../../model/yield-to-event-loop.ts'
import type { Outcome } from '../transport/outcome.ts'
import { blocks, type Escapes, hasEscapedWord, locateEscapes, resolveEscapes, type Steps } from './escapes.ts'
import { type Place, type SliceSearch, sliceSearch } from './secret-slices.ts'

/** A shorter text is a word that may occur in any answer. */
const shortest = 8

/** The secret of a client and consecutive tokens. */
const maxKnown = 4

/** Those of the answer itself, and further ones of the texts in it. */
const maxLayers = 6

/** Looked at without a pause: some 10 ms. */
const pauseBytes = 2 ** 21

/** Stands for an echoed secret. In an answer with an echo, a text that contains it is not what the tenant stores. */
export const withheldMark = '[withheld]'
const mask = Buffer.from(withheldMark)

interface OwnSecret {
  readonly text: string
  /** A part of at most 32 characters that are hardly ever escaped. */
  readonly trace: string
  /** Without escapes, in the alphabet of base64, without padding; also with the spaces that a form makes of `+`. */
  readonly normal: readonly Buffer[]
}

/** Secrets that a server may echo anywhere: masked before the answer is read (docs/operations.md#tokens). */
export class OwnSecrets {
  #known: readonly OwnSecret[] = []
  /** Has tables, so it is made once for the same secrets, in whatever order. */
  #slices: SliceSearch = sliceSearch([], normalOf)

  note(text: string): void {
    if (text.length < shortest || this.#known.at(-1)?.text === text) return
    const runs = text.match(/[A-Za-z0-9]{1,32}/g) ?? []
    const trace = runs.reduce((most, run) => (run.length > most.length ? run : most), '')
    const normal = [...new Set([text, text.replaceAll('+', ' ')])].map(normalOf)
    const known = { text, trace, normal: normal.filter(({ length }) => length >= shortest) }
    const others = this.#known.filter((one) => one.text !== text)
    const isNew = others.length === this.#known.length
    this.#known = [...others, known].slice(-maxKnown)
    if (isNew)
      this.#slices = sliceSearch(
        this.#known.map((one) => one.text),
        normalOf,
      )
  }

  async maskIn(outcome: Outcome): Promise<Outcome> {
    if (outcome.kind === 'failure' || outcome.body === null) return outcome
    const { body } = outcome
    const masked = await this.mask(body)
    return masked === body ? outcome : { ...outcome, body: masked, hasEcho: true }
  }

  /** Returns the same body if it holds no secret. */
  async mask(body: Buffer): Promise<Buffer> {
    const pause = yieldAfter(pauseBytes)
    const steps = maskSteps(body, this.#known, this.#slices)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
      await pause(step.value)
    }
  }
}

function* maskSteps(body: Buffer, known: readonly OwnSecret[], slices: SliceSearch): Steps<Buffer> {
  if (known.length === 0) return body
  const isSeen = known.some(({ trace }) => body.includes(trace)) || (yield* slices.mayBeIn(body))
  if (!isSeen && !(yield* hasEscapedWord(body))) return body
  // First as JSON writes it: the exact secret, whatever is beside it.
  const exact = known.map(({ text }) => Buffer.from(text, 'latin1'))
  const rest = yield* without(body, 'json', (bytes) => placesOf(exact, bytes))
  const all = known.flatMap(({ normal }) => normal)
  return yield* without(rest, 'all', function* (bytes) {
    return [...(yield* placesOf(all, bytes)), ...(yield* slices.slicesIn(bytes))]
  })
}

function normalOf(text: string): Buffer {
  const steps = resolved(Buffer.from(text, 'latin1'), 'all')
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return Buffer.from(step.value.toString('latin1').replace(/={1,2}$/, ''), 'latin1')
}

const layersOf = (escapes: Escapes) => (escapes === 'json' ? 1 : maxLayers)

/** `all`: also in the alphabet of base64 that is not for addresses. */
function* resolved(body: Buffer, escapes: Escapes): Steps<Buffer> {
  const bytes = yield* resolveEscapes(body, escapes, layersOf(escapes))
  if (escapes === 'json') return bytes
  for (const [from, end] of blocks(bytes.length)) {
    toOneAlphabet(bytes.subarray(from, end))
    yield end - from
  }
  return bytes
}

const [minus, plus, slash, underscore] = Buffer.from('-+/_')

function toOneAlphabet(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === minus) bytes[at] = plus ?? 0
    else if (bytes[at] === underscore) bytes[at] = slash ?? 0
  }
}

/** Locates the escapes only if there is a secret, for that takes four times the memory of the body. */
function* without(body: Buffer, escapes: Escapes, find: (bytes: Buffer) => Steps<readonly Place[]>): Steps<Buffer> {
  const bytes = yield* resolved(body, escapes)
  const places = yield* find(bytes)
  if (places.length === 0) return body
  const starts = yield* locateEscapes(body, escapes, layersOf(escapes))
  const kept: Buffer[] = []
  let from = 0
  for (const { at, end } of places.toSorted((a, b) => a.at - b.at)) {
    const [first = 0, next = 0] = [starts[at], starts[end]]
    if (first >= from) kept.push(body.subarray(from, first), mask)
    from = Math.max(from, next)
  }
  return Buffer.concat([...kept, body.subarray(from)])
}

function* placesOf(secrets: readonly Buffer[], bytes: Buffer): Steps<readonly Place[]> {
  const places: Place[] = []
  for (const secret of secrets) {
    for (const end of yield* endsOf(secret, bytes)) places.push({ at: end - secret.length, end })
  }
  return places
}

function* endsOf(secret: Buffer, bytes: Buffer): Steps<readonly number[]> {
  const first = bytes.indexOf(secret.subarray(0, shortest))
  yield first === -1 ? bytes.length : first
  if (first === -1) return []
  const search = { secret, borders: bordersOf(secret), matched: 0, ends: [] }
  for (const [from, end] of blocks(bytes.length, first)) {
    searchIn(bytes, from, end, search)
    yield end - from
  }
  return search.ends
}

interface Search {
  readonly secret: Buffer
  readonly borders: Uint32Array
  readonly ends: number[]
  matched: number
}

/** Knuth, Morris and Pratt: linear also for a text and a secret that repeat themselves, unlike `indexOf`. */
function searchIn(bytes: Buffer, from: number, end: number, search: Search): void {
  const { secret, borders, ends } = search
  let { matched } = search
  for (let at = from; at < end; at++) {
    while (matched > 0 && bytes[at] !== secret[matched]) matched = borders[matched - 1] ?? 0
    if (bytes[at] === secret[matched]) matched += 1
    if (matched < secret.length) continue
    ends.push(at + 1)
    matched = 0
  }
  search.matched = matched
}

/** For each beginning of the secret the length of its longest proper part that both begins and ends it. */
function bordersOf(secret: Buffer): Uint32Array {
  const borders = new Uint32Array(secret.length)
  for (let end = 1, length = 0; end < secret.length; end++) {
    while (length > 0 && secret[end] !== secret[length]) length = borders[length - 1] ?? 0
    if (secret[end] === secret[length]) length += 1
    borders[end] = length
  }
  return borders
}
