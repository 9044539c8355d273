import type { Outcome } from '../transport/outcome.ts'

/** A shorter text is a word that may occur in any answer. */
const shortest = 8

/** The secret of a client and consecutive tokens. */
const maxKnown = 4

/** Stands for an echoed secret. A text that a check reads and that contains it is not what the tenant stores. */
export const withheldMark = '[withheld]'
const mask = Buffer.from(withheldMark)

const numbered = String.raw`\u00`
const backslash = 0x5c
const letterU = 0x75
const percent = 0x25
const escapable: ReadonlySet<number> = new Set([0x22, 0x2f, backslash])

interface OwnSecret {
  readonly text: string
  /** Its longest part that is never escaped. */
  readonly trace: string
}

/** Secrets that a server may echo anywhere: masked before the answer is read (docs/operations.md#tokens). */
export class OwnSecrets {
  #known: readonly OwnSecret[] = []

  note(text: string): void {
    if (text.length < shortest || this.#known.at(-1)?.text === text) return
    const trace = text.match(/[A-Za-z0-9]+/g)?.reduce((most, run) => (run.length > most.length ? run : most)) ?? ''
    this.#known = [...this.#known.filter((known) => known.text !== text), { text, trace }].slice(-maxKnown)
  }

  maskIn(outcome: Outcome): Outcome {
    if (outcome.kind === 'failure' || outcome.body === null) return outcome
    const { body } = outcome
    const masked = this.mask(body)
    return masked === body ? outcome : { ...outcome, body: masked }
  }

  mask(body: Buffer): Buffer {
    if (this.#known.length === 0) return body
    const mayBeNumbered = hasNumbered(body)
    const suspects = this.#known.filter(({ trace }) => mayBeNumbered || body.includes(trace))
    return suspects.reduce((rest, { text }) => without(rest, Buffer.from(text, 'latin1')), body)
  }
}

/** True when the body may contain the number of a visible ASCII character, 21 to 7e. */
function hasNumbered(body: Buffer): boolean {
  for (let at = body.indexOf(numbered); at !== -1; at = body.indexOf(numbered, at + 1)) {
    const digit = body[at + numbered.length] ?? 0
    if (digit >= 0x32 && digit <= 0x37) return true
  }
  return false
}

/** No regular expression: one of a long secret overflows the stack, and the error contains the secret. */
function without(body: Buffer, secret: Buffer): Buffer {
  const first = secret[0]
  const kept: Buffer[] = []
  let from = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte !== first && byte !== backslash && byte !== percent) continue
    const end = endOf(secret, body, at)
    if (end === -1) continue
    kept.push(body.subarray(from, at), mask)
    from = end
    at = end - 1
  }
  return from === 0 ? body : Buffer.concat([...kept, body.subarray(from)])
}

function endOf(secret: Buffer, body: Buffer, at: number): number {
  const end = endIn(secret, body, at, false)
  return end === -1 ? endIn(secret, body, at, true) : end
}

function endIn(secret: Buffer, body: Buffer, at: number, inAddress: boolean): number {
  let end = at
  for (let i = 0; i < secret.length; i++) {
    const byte = secret[i] ?? 0
    const isNumber = inAddress && body[end] === percent
    const length = isNumber ? (hexAt(body, end + 1, 2) === byte ? 3 : 0) : lengthOf(byte, body, end)
    if (length === 0) return -1
    end += length
  }
  return end
}

function lengthOf(byte: number, body: Buffer, at: number): number {
  if (body[at] !== backslash) return body[at] === byte ? 1 : 0
  if (body[at + 1] === letterU) return hexAt(body, at + 2, 4) === byte ? 6 : 0
  if (body[at + 1] === byte && escapable.has(byte)) return 2
  return byte === backslash ? 1 : 0
}

function hexAt(body: Buffer, at: number, digits: number): number {
  return Number.parseInt(body.toString('latin1', at, at + digits), 16)
}
