import { inspect } from 'node:util'

const redacted = '[redacted]'

/** A secret text that is printed as `[redacted]`; only `expose` returns it. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

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
