import { isGuid } from '../../model/guid.ts'
import { sentCursor } from '../transport/envelope.ts'
import type { Outcome } from '../transport/outcome.ts'
import { mayBeEscaped, type Steps } from './escapes.ts'
import { resolved } from './normal-form.ts'
import { inSteps, OwnSecrets } from './own-secrets.ts'
import { SecretIndex } from './secret-index.ts'

const shortestOfOthers = 20

/**
 * True if the secret cannot occur in another tenant's data by chance, nor because a token endpoint issued a word or an
 * id as token: masking would damage such data.
 */
function isUnmistakable(secret: string): boolean {
  return secret.length >= shortestOfOthers && /\d/.test(secret) && /([a-z].*){3}/i.test(secret) && !isGuid(secret)
}

/** Masks the last secrets of one owner, and those of all others, in the owner's answers. */
export interface SecretMask {
  note(secret: string): void
  maskIn(outcome: Outcome): Promise<Outcome>
}

/**
 * Secrets of all tenants of a process, and of its database. A server may echo a secret anywhere, also in an answer to
 * another tenant, so they are masked before an answer is parsed (docs/operations.md#tokens).
 */
export class KnownSecrets {
  readonly #byOwner = new Map<string, OwnSecrets>()
  readonly #index = new SecretIndex<OwnSecrets>()

  /**
   * Calls with the same name share their secrets, so that those of a tenant stay known when its settings change.
   *
   * @param isMaskedForOthers whether a secret of this owner is looked for in the answers to others.
   */
  of(owner: string, isMaskedForOthers = isUnmistakable): SecretMask {
    const own = this.#byOwner.get(owner) ?? new OwnSecrets()
    this.#byOwner.set(owner, own)
    return {
      note: (secret) => {
        if (own.note(secret)) this.#index.put(own, own.texts.filter(isMaskedForOthers))
      },
      maskIn: async (outcome) => {
        if (outcome.kind === 'failure' || outcome.body === null) return outcome
        const masked = await this.#mask(outcome.body, own)
        if (masked === outcome.body) return outcome
        // Tokens and cursors of one issuer may have equal beginnings, and the server would refuse a masked cursor.
        const cursor = sentCursor(outcome.body)
        const isKept = cursor !== null && !(await this.#areIn(cursor, own))
        return { ...outcome, body: masked, hasEcho: true, ...(isKept && { cursor }) }
      },
    }
  }

  async #mask(body: Buffer, own: OwnSecrets): Promise<Buffer> {
    let masked = await own.mask(body)
    if (this.#byOwner.size === 1) return masked
    for (const other of await inSteps(this.#othersIn(masked, own))) masked = await other.mask(masked)
    return masked
  }

  async #areIn(text: string, own: OwnSecrets): Promise<boolean> {
    if (await own.areIn(text)) return true
    for (const other of await inSteps(this.#othersIn(Buffer.from(text), own))) if (await other.areIn(text)) return true
    return false
  }

  *#othersIn(body: Buffer, own: OwnSecrets): Steps<ReadonlySet<OwnSecrets>> {
    const found = new Set<OwnSecrets>()
    // Resolve as `mask` does: a backslash at the end of a secret would become part of another escape.
    const texts = mayBeEscaped(body) ? [yield* resolved(body, 'json'), yield* resolved(body, 'all')] : [body]
    for (const text of texts) for (const owner of yield* this.#index.ownersIn(text)) found.add(owner)
    found.delete(own)
    return found
  }
}
