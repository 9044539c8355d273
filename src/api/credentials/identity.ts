import type { Secret } from './secret.ts'

/** The token of one request. */
export interface Credential {
  readonly secret: Secret
  /** Grows with every change of the token's text. */
  readonly generation: number
  /** AnswerMeta.identity of what is read with it. */
  readonly identity: number
}

/**
 * Numbers the identities that answers are read under (AnswerMeta.identity): data read under a new one may be another
 * tenant's, so it is checked before anything is committed.
 */
export class Identity {
  readonly #renewsIdentity: boolean
  readonly #denied = new Set<string>()
  #secret: Secret | undefined
  #generation = 0
  #identity = 1

  /** @param renewsIdentity true when a changed token is still the same identity. */
  constructor(renewsIdentity: boolean) {
    this.#renewsIdentity = renewsIdentity
  }

  credentialOf(secret: Secret): Credential {
    if (this.#secret === undefined || !this.#secret.equals(secret)) {
      if (this.#secret !== undefined && !this.#renewsIdentity) this.#identity += 1
      this.#secret = secret
      this.#generation += 1
    }
    return { secret: this.#secret, generation: this.#generation, identity: this.#identity }
  }

  /** The endpoint's last word was a refusal. */
  denied(template: string): void {
    this.#denied.add(template)
  }

  /** The identity of an answer of this endpoint; a refusal that went away begins a new one. */
  answered(template: string, credential: Credential): number {
    if (!this.#denied.delete(template)) return credential.identity
    this.#identity += 1
    return this.#identity
  }

  /** A credential that was dead works again: that alone begins a new identity, whichever endpoint answers first. */
  revived(): void {
    this.#denied.clear()
    this.#identity += 1
  }
}
