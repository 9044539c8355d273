import { createHash } from 'node:crypto'
import { clientIdOf } from './seed/clients.ts'
import { type TokenName, tokenNames, tokenSeed } from './seed/tokens.ts'
import type { PermissionCode, TenantName } from './truth.ts'

export interface Credential {
  readonly name: TokenName
  readonly clientId: string
  readonly clientSecret: string
  tenant: TenantName
  readonly permissions: Set<PermissionCode>
  revoked: boolean
}

interface Issued {
  readonly name: TokenName
  /** Epoch milliseconds; null = does not expire. */
  readonly expiresAt: number | null
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

function secretFrom(seed: number, purpose: string): string {
  return createHash('sha256').update(`${seed}:${purpose}`).digest('base64url')
}

export interface TokenTable {
  readonly values: Readonly<Record<TokenName, string>>
  readonly credentials: Readonly<Record<TokenName, ClientCredentials>>
  get(name: TokenName): Credential
  /** The credential of a valid token: known, not revoked and not expired at `now`. */
  resolve(value: string, now: number): Credential | undefined
  nameOf(value: string): TokenName | undefined
  byClient(clientId: string, clientSecret: string): Credential | undefined
  /** Issues a token that expires at `expiresAt` (epoch milliseconds). */
  issue(name: TokenName, expiresAt: number): string
  rotate(name: TokenName): string
}

function record<T>(make: (name: TokenName) => T): Record<TokenName, T> {
  return Object.fromEntries(tokenNames().map((name) => [name, make(name)])) as Record<TokenName, T>
}

/**
 * Makes the token table of a seed. Without `problems` the client of `expired` has a valid secret, so the token itself is
 * expired.
 */
export function createTokenTable(
  seed: number,
  tenantSeeds: Readonly<Record<TenantName, number>>,
  problems: boolean,
  codes: readonly PermissionCode[],
): TokenTable {
  const all = record((name): Credential => {
    const { tenant, grants } = tokenSeed(name)
    return {
      name,
      clientId: clientIdOf(name, tenantSeeds[tenant]),
      clientSecret: secretFrom(seed, `secret ${name}`),
      tenant,
      permissions: new Set(codes.filter(grants)),
      revoked: false,
    }
  })
  const values = record((name) => `sim-${secretFrom(seed, `token ${name}`)}`)
  const issued = new Map<string, Issued>()
  for (const name of tokenNames()) {
    issued.set(values[name], { name, expiresAt: name === 'expired' && !problems ? 0 : null })
  }
  let made = 0
  const newValue = () => `sim-${secretFrom(seed, `issued ${++made}`)}`

  return {
    values,
    credentials: record((name) => ({ clientId: all[name].clientId, clientSecret: all[name].clientSecret })),
    get: (name) => all[name],
    resolve(value, now) {
      const found = issued.get(value)
      if (found === undefined || (found.expiresAt !== null && found.expiresAt <= now)) return undefined
      const credential = all[found.name]
      return credential.revoked ? undefined : credential
    },
    nameOf: (value) => issued.get(value)?.name,
    byClient(clientId, clientSecret) {
      return Object.values(all).find(
        (one) => one.clientId === clientId.toLowerCase() && one.clientSecret === clientSecret,
      )
    },
    issue(name, expiresAt) {
      const value = newValue()
      issued.set(value, { name, expiresAt })
      return value
    },
    rotate(name) {
      issued.delete(values[name])
      values[name] = newValue()
      issued.set(values[name], { name, expiresAt: null })
      return values[name]
    },
  }
}
