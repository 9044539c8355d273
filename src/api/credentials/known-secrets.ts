import { isGuid } from '../../model/guid.ts'
import { sentCursor } from '../transport/envelope.ts'
import type { Outcome } from '../transport/outcome.ts'
import { mayBeEscaped, type Steps } from './escapes.ts'
import { resolved } from './normal-form.ts'
import { inSteps, OwnSecrets } from './own-secrets.ts'
import { SecretIndex } from './secret-index.ts'

const shortestOfOthers = 20

/**
 * True for what stands in the data of no other tenant by chance, or because a token endpoint gave out their words or ids as
 * a token: that would withhold them there.
 */
function isUnmistakable(secret: string): boolean {
  return secret.length >= shortestOfOthers && /\d/.test(secret) && /([a-z].*){3}/i.test(secret) && !isGuid(secret)
}

/** What one owner of secrets knows: its own, of which the last ones count, and those of all others. */
export interface SecretMask {
  note(secret: string): void
  maskIn(outcome: Outcome): Promise<Outcome>
}

/**
 * Secrets of all tenants of a process, and of its database. A server may echo anywhere what it was sent, also in an answer
 * to another tenant: they are masked before the answer is read (docs/operations.md#tokens).
 */
export class KnownSecrets {
  readonly #byOwner = new Map<string, OwnSecrets>()
  readonly #index = new SecretIndex<OwnSecrets>()

  /**
   * Of the same name the secrets are the same: the last ones stay known when the settings of a tenant change.
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
        // Tokens and cursors of one issuer may begin alike; a changed cursor would be refused.
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
    // As `mask` does it: a secret that ends with a backslash would be part of another escape.
    const texts = mayBeEscaped(body) ? [yield* resolved(body, 'json'), yield* resolved(body, 'all')] : [body]
    for (const text of texts) for (const owner of yield* this.#index.ownersIn(text)) found.add(owner)
    found.delete(own)
    return found
  }
}
