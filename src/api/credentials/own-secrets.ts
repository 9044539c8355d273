import type { Outcome } from '../transport/outcome.ts'
import { allEscapes, hasEscapedWord, jsonEscapes, type Resolved, resolveEscapes } from './escapes.ts'

/** A shorter text is a word that may occur in any answer. */
const shortest = 8

/** The secret of a client and consecutive tokens. */
const maxKnown = 4

/** Those of the answer itself, and further ones of the texts in it. */
const maxLayers = 6

/** Stands for an echoed secret. A text that a check reads and that contains it is not what the tenant stores. */
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

  note(text: string): void {
    if (text.length < shortest || this.#known.at(-1)?.text === text) return
    const runs = text.match(/[A-Za-z0-9]{1,32}/g) ?? []
    const trace = runs.reduce((most, run) => (run.length > most.length ? run : most), '')
    const normal = [...new Set([text, text.replaceAll('+', ' ')])].map(normalOf)
    const known = { text, trace, normal: normal.filter(({ length }) => length >= shortest) }
    this.#known = [...this.#known.filter((one) => one.text !== text), known].slice(-maxKnown)
  }

  maskIn(outcome: Outcome): Outcome {
    if (outcome.kind === 'failure' || outcome.body === null) return outcome
    const { body } = outcome
    const masked = this.mask(body)
    return masked === body ? outcome : { ...outcome, body: masked }
  }

  mask(body: Buffer): Buffer {
    const known = this.#known
    if (known.length === 0) return body
    if (!known.some(({ trace }) => body.includes(trace)) && !hasEscapedWord(body)) return body
    // First as JSON writes it: the exact secret, whatever is beside it.
    const texts = known.map(({ text }) => Buffer.from(text, 'latin1'))
    const rest = without(body, resolveEscapes(body, jsonEscapes, 1), texts)
    const all = known.flatMap(({ normal }) => normal)
    return without(rest, normalized(rest), all)
  }
}

function normalOf(text: string): Buffer {
  const { bytes } = normalized(Buffer.from(text, 'latin1'))
  return Buffer.from(bytes.toString('latin1').replace(/={1,2}$/, ''), 'latin1')
}

const [minus, plus, slash, underscore] = Buffer.from('-+/_')

function normalized(body: Buffer): Resolved {
  const resolved = resolveEscapes(body, allEscapes, maxLayers)
  const { bytes } = resolved
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === minus) bytes[at] = plus ?? 0
    else if (bytes[at] === underscore) bytes[at] = slash ?? 0
  }
  return resolved
}

function without(body: Buffer, { bytes, starts }: Resolved, secrets: readonly Buffer[]): Buffer {
  const places = secrets
    .flatMap((secret) => placesOf(secret, bytes).map((at) => ({ at, end: at + secret.length })))
    .sort((a, b) => a.at - b.at)
  const kept: Buffer[] = []
  let from = 0
  for (const { at, end } of places) {
    const [first = 0, next = 0] = [starts[at], starts[end]]
    if (first >= from) kept.push(body.subarray(from, first), mask)
    from = Math.max(from, next)
  }
  return kept.length === 0 ? body : Buffer.concat([...kept, body.subarray(from)])
}

/** Knuth, Morris and Pratt: linear also for a text and a secret that repeat themselves, unlike `indexOf`. */
function placesOf(secret: Buffer, bytes: Buffer): number[] {
  const borders = bordersOf(secret)
  const places: number[] = []
  let matched = 0
  for (let at = 0; at < bytes.length; at++) {
    while (matched > 0 && bytes[at] !== secret[matched]) matched = borders[matched - 1] ?? 0
    if (bytes[at] === secret[matched]) matched += 1
    if (matched < secret.length) continue
    places.push(at + 1 - matched)
    matched = 0
  }
  return places
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
