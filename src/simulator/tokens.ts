import { createHash } from 'node:crypto'
import type { PermissionCode } from './fields.ts'
import { clientIdOf, type TenantName, type TokenName, tokenNames, tokenSeeds } from './seed-access.ts'

/** An API client that may ask for tokens; its `value` is its standing token. */
export interface Credential {
  readonly name: TokenName
  readonly clientId: string
  readonly clientSecret: string
  readonly permissions: Set<PermissionCode>
  tenant: TenantName
  value: string
  isRevoked: boolean
}

/** The credentials of a seed and the tokens issued for them; times are epoch milliseconds. */
export class Tokens {
  readonly credentials: Readonly<Record<TokenName, Credential>>
  readonly #seed: number
  readonly #issued = new Map<string, { readonly name: TokenName; readonly expiresAt: number }>()
  #made = 0

  /** Without `problems` no secret is expired, so that the token `expired` is. */
  constructor(seed: number, tenantSeeds: Readonly<Record<TenantName, number>>, problems: boolean) {
    this.#seed = seed
    const made = tokenNames.map((name): [TokenName, Credential] => {
      const { tenant, permissions } = tokenSeeds[name]
      const clientId = clientIdOf(name, tenantSeeds[tenant])
      const value = `sim-${this.#secret(`token ${name}`)}`
      this.#issued.set(value, { name, expiresAt: name === 'expired' && !problems ? 0 : Infinity })
      const clientSecret = this.#secret(`secret ${name}`)
      const granted = new Set<PermissionCode>(permissions)
      return [name, { name, clientId, clientSecret, permissions: granted, tenant, value, isRevoked: false }]
    })
    this.credentials = Object.fromEntries(made) as Record<TokenName, Credential>
  }

  /** The credential of a token that was issued, valid or not. */
  of(value: string | null): Credential | undefined {
    const found = this.#issued.get(value ?? '')
    return found && this.credentials[found.name]
  }

  isValid(value: string | null, now: number): boolean {
    return (this.#issued.get(value ?? '')?.expiresAt ?? 0) > now && this.of(value)?.isRevoked === false
  }

  byClient(clientId: string, clientSecret: string): Credential | undefined {
    const all = Object.values(this.credentials)
    return all.find((one) => one.clientId === clientId.toLowerCase() && one.clientSecret === clientSecret)
  }

  issue(name: TokenName, expiresAt: number): string {
    const value = `sim-${this.#secret(`issued ${++this.#made}`)}`
    this.#issued.set(value, { name, expiresAt })
    return value
  }

  /** A new standing token; the old one is invalid from now on. */
  rotate(name: TokenName): string {
    const credential = this.credentials[name]
    this.#issued.delete(credential.value)
    credential.value = this.issue(name, Infinity)
    return credential.value
  }

  #secret(purpose: string): string {
    return createHash('sha256').update(`${this.#seed}:${purpose}`).digest('base64url')
  }
}
