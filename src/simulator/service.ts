import { STATUS_CODES } from 'node:http'
import { ApiError, shapeError } from './answer.ts'
import { type Endpoint, findRoute, type Route } from './endpoints.ts'
import { type EffectOf, type FaultEffect, reshape } from './faults.ts'
import { formatTimestamp } from './fields.ts'
import { guidFor } from './random.ts'
import type { Readings } from './readings.ts'
import { type RequestRecord, violationsIn } from './requests.ts'
import type { Credential } from './tokens.ts'
import { pause, type Reply, type WireEffect } from './wire.ts'
import { hasExpiredSecret, type World } from './world.ts'

const mostViolations = 1000

/** The code of a status: that of the specification, or the words of HTTP. */
function codeOf(status: number): string {
  if (status === 422) return 'VALIDATION_FAILED'
  if (status === 500) return 'INTERNAL_ERROR'
  return STATUS_CODES[status]?.toUpperCase().replaceAll(' ', '_') ?? 'ERROR'
}

/**
 * Answers a request: log, hooks, faults, permission, endpoint, envelope, in this order; `reply` is null where a fault
 * prevents one. Rejects when `signal` aborts.
 */
export async function exchange(world: World, request: Request, signal: AbortSignal) {
  const url = new URL(request.url)
  const route = findRoute(request.method, url.pathname)
  const record = begin(world, request, url, route)
  try {
    for (const hook of world.hooks) await hook(record)
    const effects = world.faults.apply(record)
    for (const { ms } of ofKind(effects, 'delay')) await pause(ms, signal)
    const wire = effects.findLast((effect): effect is WireEffect => isWire(effect))
    const isLost = wire?.kind === 'raw' || (wire?.kind === 'reset' && wire.when === 'before')
    if (isLost || ofKind(effects, 'hang').length > 0) return { record, reply: null, wire }
    return { record, wire, reply: answer(world, { request, url, route, effects, body: await request.text() }) }
  } catch (error) {
    world.requests.finish(record, null)
    throw error
  }
}

function isWire({ kind }: FaultEffect): boolean {
  return kind === 'reset' || kind === 'raw'
}

function ofKind<K extends FaultEffect['kind']>(effects: readonly FaultEffect[], kind: K): EffectOf<K>[] {
  return effects.filter((effect): effect is EffectOf<K> => effect.kind === kind)
}

function begin(world: World, request: Request, url: URL, route: Route): RequestRecord {
  const { tokens, readings, clock } = world
  const credential = tokens.of(tokenOf(request, readings))
  const headers = Object.fromEntries(request.headers)
  delete headers[readings.tokenHeader.toLowerCase()]
  delete headers['authorization']
  const isToken = url.pathname === tokenPath
  const record = world.requests.begin({
    time: clock(),
    method: request.method,
    path: url.pathname,
    endpoint: isToken ? tokenPath : route.template,
    query: Object.fromEntries(url.searchParams),
    headers,
    token: credential?.name ?? null,
    tenant: credential?.tenant ?? null,
    cursor: url.searchParams.get('cursor'),
  })
  if (!isToken) world.violations.push(...violationsIn(record, readings, route.endpoint))
  world.violations.splice(0, world.violations.length - mostViolations)
  return record
}

/** The token of a request, by header and scheme of the readings; null when there is none. */
function tokenOf({ headers }: Request, { tokenHeader, tokenScheme }: Readings): string | null {
  const value = headers.get(tokenHeader)
  if (value === null || tokenScheme === '') return value
  const prefix = `${tokenScheme.toLowerCase()} `
  return value.toLowerCase().startsWith(prefix) ? value.slice(prefix.length).trim() : null
}

interface Asked {
  readonly request: Request
  readonly url: URL
  readonly route: Route
  readonly effects: readonly FaultEffect[]
  readonly body: string
}

function answer(world: World, asked: Asked): Reply {
  const { request, url, route, effects, body } = asked
  const { readings } = world
  world.responses++
  const skewMs = ofKind(effects, 'clock-skew').reduce((sum, { ms }) => sum + ms, 0)
  const refuse = (error: ApiError) => json(error.status, errorBody(world, error, skewMs), error.headers)
  for (const effect of effects) {
    if (effect.kind === 'status') {
      const code = effect.code ?? codeOf(effect.status)
      return refuse(new ApiError(effect.status, code, effect.message ?? 'Injected fault', effect.headers))
    }
    if (effect.kind === 'body') {
      const type = effect.contentType ?? 'application/json; charset=utf-8'
      const headers = { 'content-type': type, ...effect.headers }
      return { status: effect.status ?? 200, headers, body: Buffer.from(effect.body) }
    }
  }
  if (url.pathname === tokenPath) {
    const { status, body: issued } = issueToken(world, request, body)
    return json(status, issued, { 'cache-control': 'no-store' })
  }
  try {
    if (route.endpoint === null) throw route.error
    const credential = authorize(world, tokenOf(request, readings), route.endpoint)
    const {
      status = 200,
      data,
      pagination = null,
    } = route.endpoint.handle({
      ...world,
      tenant: world.tenants[credential.tenant],
      response: world.responses,
      query: url.searchParams,
      id: route.id,
      body,
      style: {
        timestamps: readings.timestamps,
        unknownFields: readings.unknownFields,
        upperGuids:
          readings.guidCasing === 'upper' || (readings.guidCasing === 'alternate' && world.responses % 2 === 1),
      },
      ignoreCursor: ofKind(effects, 'ignore-cursor').length > 0,
    })
    const extra = readings.unknownFields ? { warnings: [] } : {}
    let envelope: unknown = { data, pagination, error: null, meta: metaOf(world, skewMs), ...extra }
    for (const effect of effects) envelope = reshape(envelope, effect)
    return json(status, envelope)
  } catch (error) {
    if (error instanceof ApiError) return refuse(error)
    return refuse(new ApiError(500, 'INTERNAL_ERROR', error instanceof Error ? error.message : 'Unexpected error'))
  }
}

/**
 * The credential of a token that has the permission of the endpoint. Throws 401 `UNAUTHORIZED` both for a missing or
 * unknown token and for a missing permission, with the same text ("Authentication" 2).
 */
function authorize(world: World, token: string | null, { permission }: Endpoint): Credential {
  const credential = world.tokens.isValid(token, world.clock()) ? world.tokens.of(token) : undefined
  if (credential?.permissions.has(permission) && !hasExpiredSecret(world, credential)) return credential
  const { tokenScheme } = world.readings
  const headers: Record<string, string> = tokenScheme === '' ? {} : { 'www-authenticate': tokenScheme }
  throw new ApiError(401, 'UNAUTHORIZED', 'Token missing or not permitted to do this', headers)
}

/** The `meta` of a response; `skewMs` shifts its clock. */
function metaOf({ readings, responseSeed, responses, clock }: World, skewMs: number): Record<string, unknown> {
  const requestId = guidFor(responseSeed, responses)
  return {
    requestId: readings.requestIdCasing === 'upper' ? requestId.toUpperCase() : requestId,
    timestamp: formatTimestamp(clock() + skewMs, readings.metaTimestamps),
    ...(readings.unknownFields && { region: 'eu-west-1' }),
  }
}

function errorBody(world: World, error: ApiError, skewMs: number): unknown {
  const value = shapeError(error, world.readings.errorShape)
  if (!world.readings.errorEnvelope) return value
  return { data: null, pagination: null, error: value, meta: metaOf(world, skewMs) }
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const all = { 'content-type': 'application/json; charset=utf-8', ...headers }
  return { status, headers: all, body: Buffer.from(`${JSON.stringify(body) ?? ''}\n`) }
}

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
  try {
    return [decodeURIComponent(id), decodeURIComponent(secret)]
  } catch {
    return ['', '']
  }
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
