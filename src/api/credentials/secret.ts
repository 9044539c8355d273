import { inspect } from 'node:util'
import { SyncError } from '../../model/errors.ts'
import { bareSecretHint, secretProblem } from '../../model/token-header.ts'

/** Trims a secret; throws SyncError `unauthorized` unless it is one word of visible ASCII, as a header can carry it. */
export function parseSecret(text: string, origin: string): Secret {
  const trimmed = text.trim()
  const problem = secretProblem(trimmed)
  if (problem !== null) throw new SyncError('unauthorized', `${origin} ${problem}`, { hint: bareSecretHint })
  return new Secret(trimmed)
}

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

/** Throws only a SyncError, without the secret. */
export interface SecretSource {
  /** Names the OAuth client whose renewed secrets are one identity; null where each secret is its own. */
  readonly client: string | null
  /** The present secret; cheap enough to call before every request. */
  current(signal?: AbortSignal): Promise<Secret>
  /** Fetches the secret again after the server refused `used`, unless that has just failed. */
  renew(used: Secret, signal?: AbortSignal): Promise<Secret>
  dispose(): void
}
