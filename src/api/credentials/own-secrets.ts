import { yieldAfter } from '../../model/yield-to-event-loop.ts'
import { blocks, type Escapes, hasEscapedWord, locateEscapes, type Steps } from './escapes.ts'
import { layersOf, normalOf, resolved } from './normal-form.ts'
import { type Place, partsOf, type SliceSearch, sliceSearch } from './secret-slices.ts'

/** A shorter text is not masked: it may be a word of any answer. */
const shortest = 8

/** Secrets kept of one owner: the secret of an OAuth client and its last tokens. */
const maxKnown = 4

/** Number of unknown characters that nobody can guess. */
const unguessable = 16

/** Bytes processed without a pause; some 10 ms. */
const pauseBytes = 2 ** 21

/** Replaces an echoed secret. In such an answer, a text that contains it differs from what the tenant stores. */
export const withheldMark = '[withheld]'
const mask = Buffer.from(withheldMark)

interface OwnSecret {
  readonly text: string
  /** The longest run of letters and digits, which are hardly ever escaped; at most 32 characters. */
  readonly trace: string
  /** `normalOf` the secret, and of the secret with spaces for `+`, as form encoding reads it. */
  readonly normal: readonly Buffer[]
}

/** The last secrets of one owner; masks them in answers. */
export class OwnSecrets {
  #known: readonly OwnSecret[] = []
  /** Its tables are expensive, so it is only made again when the set of secrets changes. */
  #slices: SliceSearch = sliceSearch([])

  get texts(): readonly string[] {
    return this.#known.map(({ text }) => text)
  }

  /** True if the secret is new. */
  note(text: string): boolean {
    if (text.length < shortest || this.#known.at(-1)?.text === text) return false
    const runs = text.match(/[A-Za-z0-9]{1,32}/g) ?? []
    const trace = runs.reduce((most, run) => (run.length > most.length ? run : most), '')
    const normal = [...new Set([text, text.replaceAll('+', ' ')])].map(normalOf)
    const known = { text, trace, normal: normal.filter(({ length }) => length >= shortest) }
    const others = this.#known.filter((one) => one.text !== text)
    const isNew = others.length === this.#known.length
    this.#known = [...others, known].slice(-maxKnown)
    if (isNew) this.#slices = sliceSearch(this.texts)
    return isNew
  }

  /** True if the text contains a secret, or so much of one that the rest can be guessed. */
  async areIn(text: string): Promise<boolean> {
    const bytes = await inSteps(resolved(Buffer.from(text), 'all'))
    for (const { text: secret, normal } of this.#known) {
      if ((await inSteps(placesOf(normal, bytes))).length > 0) return true
      const places = await inSteps(sliceSearch([secret]).slicesIn(bytes))
      const shared = places.reduce((sum, { at, end }) => sum + end - at, 0)
      if (shared > 0 && shared > partsOf(secret).join('').length - unguessable) return true
    }
    return false
  }

  /** Returns the same body if it holds no secret. */
  mask(body: Buffer): Promise<Buffer> {
    return inSteps(maskSteps(body, this.#known, this.#slices))
  }
}

/** Does work on a large text with pauses, in which other work runs. */
export async function inSteps<Result>(steps: Steps<Result>): Promise<Result> {
  const pause = yieldAfter(pauseBytes)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await pause(step.value)
  }
}

function* maskSteps(body: Buffer, known: readonly OwnSecret[], slices: SliceSearch): Steps<Buffer> {
  if (known.length === 0) return body
  const isSeen = known.some(({ trace }) => body.includes(trace)) || (yield* slices.mayBeIn(body))
  if (!isSeen && !(yield* hasEscapedWord(body))) return body
  // First with JSON escapes only: finds the exact secret, whatever surrounds it.
  const exact = known.map(({ text }) => Buffer.from(text, 'latin1'))
  const rest = yield* without(body, 'json', (bytes) => placesOf(exact, bytes))
  const all = known.flatMap(({ normal }) => normal)
  return yield* without(rest, 'all', function* (bytes) {
    return [...(yield* placesOf(all, bytes)), ...(yield* slices.slicesIn(bytes))]
  })
}

/** Replaces the found places. Locates escapes only if there are any: that takes four times the body's memory. */
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

/** Knuth-Morris-Pratt: linear also for repetitive texts and secrets, unlike `indexOf`. */
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

/** For each prefix of the secret, the length of its longest proper prefix that is also a suffix. */
function bordersOf(secret: Buffer): Uint32Array {
  const borders = new Uint32Array(secret.length)
  for (let end = 1, length = 0; end < secret.length; end++) {
    while (length > 0 && secret[end] !== secret[length]) length = borders[length - 1] ?? 0
    if (secret[end] === secret[length]) length += 1
    borders[end] = length
  }
  return borders
}
