import type { Secret } from './secret.ts'

export interface Credential {
  readonly secret: Secret
  readonly generation: number
  /** AnswerMeta.identity of the answers to it. */
  readonly identity: number
}

/** Numbers the identities of answers (AnswerMeta.identity): data under a new one is verified before any commit. */
export class Identity {
  readonly #renewsIdentity: boolean
  readonly #denied = new Set<string>()
  #secret: Secret | undefined
  #generation = 0
  #identity = 1

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

  denied(template: string): void {
    this.#denied.add(template)
  }

  /** The identity of an answer of this endpoint; the end of a refusal begins a new one. */
  answered(template: string, credential: Credential): number {
    if (!this.#denied.delete(template)) return credential.identity
    this.#identity += 1
    return this.#identity
  }

  revived(): void {
    this.#denied.clear()
    this.#identity += 1
  }
}
