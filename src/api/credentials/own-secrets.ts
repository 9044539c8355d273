import { yieldAfter } from '../../model/yield-to-event-loop.ts'
import { blocks, type Escapes, hasEscapedWord, locateEscapes, type Steps } from './escapes.ts'
import { layersOf, normalOf, resolved } from './normal-form.ts'
import { type Place, partsOf, type SliceSearch, sliceSearch } from './secret-slices.ts'

/** A shorter text is a word that may occur in any answer. */
const shortest = 8

/** The secret of a client and consecutive tokens. */
const maxKnown = 4

/** Characters of a secret that nobody can guess. */
const unguessable = 16

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

/** The last secrets of one owner, and what masks them in an answer. */
export class OwnSecrets {
  #known: readonly OwnSecret[] = []
  /** Has tables, so it is made once for the same secrets, in whatever order. */
  #slices: SliceSearch = sliceSearch([])

  get texts(): readonly string[] {
    return this.#known.map(({ text }) => text)
  }

  /** True when it was not known. */
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

  /** True if a text contains a secret, or so much of one that the rest could be guessed. */
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
  // First as JSON writes it: the exact secret, whatever is beside it.
  const exact = known.map(({ text }) => Buffer.from(text, 'latin1'))
  const rest = yield* without(body, 'json', (bytes) => placesOf(exact, bytes))
  const all = known.flatMap(({ normal }) => normal)
  return yield* without(rest, 'all', function* (bytes) {
    return [...(yield* placesOf(all, bytes)), ...(yield* slices.slicesIn(bytes))]
  })
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
