import type { IncomingHttpHeaders } from 'node:http'
import type { World } from '../world.ts'

export interface OAuthAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, string | number>>
}

function fail(status: number, error: string): OAuthAnswer {
  return { status, body: { error } }
}

function credentials(form: URLSearchParams, headers: IncomingHttpHeaders): [string, string] {
  const basic = /^basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return [form.get('client_id') ?? '', form.get('client_secret') ?? '']
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret)]
}

/**
 * An OAuth 2 token endpoint for the client-credentials grant (RFC 6749 4.4). The specification does not define how
 * clients obtain tokens. Errors are those of RFC 6749 5.2.
 */
export function issueToken(world: World, headers: IncomingHttpHeaders, body: Uint8Array): OAuthAnswer {
  if (!(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')) {
    return fail(400, 'invalid_request')
  }
  const form = new URLSearchParams(Buffer.from(body).toString())
  if (!form.has('grant_type')) return fail(400, 'invalid_request')
  if (form.get('grant_type') !== 'client_credentials') return fail(400, 'unsupported_grant_type')
  const credential = world.tokens.byClient(...credentials(form, headers))
  const now = world.clock()
  const client = credential && world.tenants[credential.tenant].clients.get(credential.clientId)
  const over = client !== undefined && client.secretExpirationDate <= now
  if (credential === undefined || credential.revoked || over) return fail(401, 'invalid_client')
  const seconds = world.oauthTokenSeconds
  const scope = form.get('scope')
  return {
    status: 200,
    body: {
      access_token: world.tokens.issue(credential.name, now + seconds * 1000),
      token_type: 'Bearer',
      expires_in: seconds,
      ...(scope !== null && { scope }),
    },
  }
}
