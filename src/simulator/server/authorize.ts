import type { IncomingHttpHeaders } from 'node:http'
import type { Credential } from '../tokens.ts'
import type { PermissionCode } from '../truth.ts'
import type { World } from '../world.ts'
import { ApiError } from './api-error.ts'

/** The token of a request, by header and scheme of the readings; null when there is none. */
export function tokenOf(world: World, headers: IncomingHttpHeaders): string | null {
  const { tokenHeader, tokenScheme } = world.readings
  const value = headers[tokenHeader.toLowerCase()]
  if (typeof value !== 'string' || value === '') return null
  if (tokenScheme === '') return value
  const prefix = `${tokenScheme.toLowerCase()} `
  return value.toLowerCase().startsWith(prefix) ? value.slice(prefix.length).trim() : null
}

function isSecretExpired(world: World, credential: Credential): boolean {
  const client = world.tenants[credential.tenant].clients.get(credential.clientId)
  return client !== undefined && client.secretExpirationDate <= world.clock()
}

/**
 * The credential of a token that has `permission`. Throws 401 `UNAUTHORIZED` both for a missing
 * or unknown token and for a missing permission, with the same text ("Authentication" 2).
 */
export function authorize(world: World, token: string | null, permission: PermissionCode): Credential {
  const credential = token === null ? undefined : world.tokens.resolve(token, world.clock())
  const over = credential !== undefined && world.readings.tokensEndWithSecret && isSecretExpired(world, credential)
  if (credential === undefined || over || !credential.permissions.has(permission)) {
    const { tokenScheme } = world.readings
    const headers = tokenScheme === '' ? {} : { 'www-authenticate': tokenScheme }
    throw new ApiError(401, 'UNAUTHORIZED', 'Token missing or not permitted to do this', [], headers)
  }
  return credential
}
