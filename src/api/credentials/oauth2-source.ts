import type { Clock } from '../../model/clock.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { SyncError } from '../../model/errors.ts'
import { longestPauseMs } from '../gate.ts'
import { isObject, parseJson } from '../json.ts'
import type { Answer, Outcome } from '../transport/outcome.ts'
import { type Fetched, fetchedSource } from './fetched-source.ts'
import { parseSecret, type SecretSource } from './secret.ts'

export interface OAuth2SourceOptions {
  readonly clientId: string
  readonly clientSecret: SecretSource
  readonly scope: string | null
  readonly clock: Clock
  readonly cycleMs: number
  post(form: URLSearchParams, signal: AbortSignal): Promise<Outcome>
}

const hint = 'Check auth.token.oauth2: tokenUrl, clientId, clientSecret and scope'

const defaultLifeMs = 5 * minuteMs

/** A token by the OAuth 2.0 client-credentials grant (RFC 6749, section 4.4), used for 90% of `expires_in`. */
export function oauth2Source(options: OAuth2SourceOptions): SecretSource {
  return fetchedSource({
    client: options.clientId,
    clock: options.clock,
    cycleMs: options.cycleMs,
    async fetch(signal) {
      const clientSecret = await options.clientSecret.current(signal)
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: options.clientId })
      form.set('client_secret', clientSecret.expose())
      if (options.scope !== null) form.set('scope', options.scope)
      return readTokenAnswer(await options.post(form, signal))
    },
  })
}

function readTokenAnswer(outcome: Outcome): Fetched {
  if (outcome.kind === 'failure') throw outcome.error
  const { status } = outcome
  const body = outcome.body === null ? undefined : parseJson(outcome.body.toString())
  const facts = isObject(body) ? body : {}
  if (status !== 200) throw refusal(outcome, facts['error'])
  const token = facts['access_token']
  if (typeof token !== 'string') {
    throw new SyncError('unauthorized', 'The token URL answered without an access_token', { hint, status })
  }
  return { secret: parseSecret(token, 'The access_token of the token URL'), lifeMs: lifeOf(facts['expires_in']) }
}

function refusal({ status, retryAfterMs, receivedAt }: Answer, code: unknown): SyncError {
  const named = typeof code === 'string' && /^[a-z_]{3,40}$/.test(code) ? ` ${code}` : ''
  const message = `The token URL answered ${status}${named}`
  if (status >= 300 && status < 400) return new SyncError('redirect', message, { hint, status })
  const tooLong = retryAfterMs !== null && retryAfterMs > longestPauseMs
  if (status === 429 || tooLong) {
    const retryAt = retryAfterMs === null ? undefined : receivedAt + Math.ceil(retryAfterMs)
    return new SyncError('rate_limited', message, { status, retryAt })
  }
  if (status >= 500) return new SyncError('server_error', message, { status })
  return new SyncError('unauthorized', message, { hint, status })
}

/** In milliseconds: 90% of the stated seconds, at least one second. */
function lifeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && /^\d{1,10}$/.test(expiresIn) ? Number(expiresIn) : expiresIn
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return defaultLifeMs
  return Math.max(seconds * 0.9, 1) * secondMs
}
