import { inspect } from 'node:util'

const redacted = '[redacted]'

/** A secret text that prints as `[redacted]` wherever it is turned into text; only `expose` gives it away. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself, for the one place that sends it. */
  expose(): string {
    return this.#text
  }

  equals(other: Secret): boolean {
    return this.#text === other.#text
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [inspect.custom](): string {
    return redacted
  }
}
