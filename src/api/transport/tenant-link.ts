import type { Clock } from '../../model/clock.ts'
import type { OwnSecrets } from '../credentials/own-secrets.ts'
import type { Secret } from '../credentials/secret.ts'
import type { Endpoint } from '../endpoints.ts'
import type { TenantObserver } from '../reader.ts'
import type { Target } from './base-url.ts'
import { type ExchangeParts, type ExchangeRequest, exchange } from './exchange.ts'
import type { Outcome } from './outcome.ts'

export interface TenantLinkParts {
  readonly target: Target
  readonly header: string
  readonly scheme: string
  readonly maxBodyBytes: number
  readonly clock: Clock
  readonly exchange: ExchangeParts
  readonly ownSecrets: OwnSecrets
  readonly observer: TenantObserver | undefined
}

export interface LinkRequest {
  readonly endpoint: Endpoint
  readonly method: 'GET' | 'POST'
  /** The path with its id filled in, and the query. */
  readonly path: string
  readonly secret: Secret
  readonly body?: string
  readonly statusOnly?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Sends one request to the tenant when the gate lets it, and tells the observer. */
export type TenantLink = (request: LinkRequest) => Promise<Outcome>

const maxWholeBytes = 32 * 2 ** 20

export function createTenantLink(parts: TenantLinkParts): TenantLink {
  const { target, clock, observer, ownSecrets } = parts
  return async (request) => {
    await parts.exchange.rateLimiter.pass(request.signal)
    const started = clock.monotonic()
    ownSecrets.note(request.secret.expose())
    const outcome = await exchange(parts.exchange, toExchange(request, parts, target))
    const status = outcome.kind === 'answer' ? String(outcome.status) : outcome.error.reason
    observer?.request(request.endpoint.template, status, (clock.monotonic() - started) / 1000)
    return ownSecrets.maskIn(outcome)
  }
}

/** The request in words, for messages. */
export function inWords(method: string, { template }: Endpoint): string {
  return `${method} ${template}`
}

function toExchange(request: LinkRequest, parts: TenantLinkParts, target: Target): ExchangeRequest {
  const { endpoint, method, body, secret, signal } = request
  const token = secret.expose()
  const limit = endpoint.whole ? Math.max(parts.maxBodyBytes, maxWholeBytes) : parts.maxBodyBytes
  return {
    method,
    origin: target.origin,
    path: `${target.prefix}${request.path}`,
    what: inWords(method, endpoint),
    headers: {
      [parts.header]: parts.scheme === '' ? token : `${parts.scheme} ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    maxBytes: request.statusOnly === true ? 0 : limit,
    signal,
  }
}
