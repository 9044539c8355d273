import { hasExpiredSecret, type World } from './world.ts'

export const tokenPath = '/oauth/token'

interface OAuthAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, string | number>>
}

function refusal(status: number, error: string): OAuthAnswer {
  return { status, body: { error } }
}

function credentialsOf(form: URLSearchParams, headers: Headers): [id: string, secret: string] {
  const basic = /^basic (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (basic === undefined) return [form.get('client_id') ?? '', form.get('client_secret') ?? '']
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret)]
}

/**
 * An OAuth 2 token endpoint for the client-credentials grant (RFC 6749 4.4), because the specification does not define
 * how clients obtain tokens. Errors are those of RFC 6749 5.2.
 */
export function issueToken(world: World, { method, headers }: Request, body: string): OAuthAnswer {
  if (method !== 'POST') return refusal(405, 'invalid_request')
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  const form = new URLSearchParams(isForm ? body : '')
  if (!form.has('grant_type')) return refusal(400, 'invalid_request')
  if (form.get('grant_type') !== 'client_credentials') return refusal(400, 'unsupported_grant_type')
  const credential = world.tokens.byClient(...credentialsOf(form, headers))
  if (credential === undefined || credential.isRevoked || hasExpiredSecret(world, credential))
    return refusal(401, 'invalid_client')
  const seconds = world.oauthTokenSeconds
  const token = world.tokens.issue(credential.name, world.clock() + seconds * 1000)
  const scope = form.get('scope')
  const granted = { access_token: token, token_type: 'Bearer', expires_in: seconds }
  return { status: 200, body: scope === null ? granted : { ...granted, scope } }
}
