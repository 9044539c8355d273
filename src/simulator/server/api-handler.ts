import type { IncomingMessage, ServerResponse } from 'node:http'
import { cannedReply } from '../faults/canned.ts'
import type { FaultEffect } from '../faults/effect.ts'
import { reshape } from '../faults/reshape.ts'
import type { MatchingFaultTable } from '../faults/table.ts'
import { type Reply, withInvalidByte, writeDistorted, writeWhole } from '../faults/wire.ts'
import type { Auditor } from '../violations.ts'
import type { World } from '../world.ts'
import { ApiError } from './api-error.ts'
import { caseHeaders, errorBody, jsonReply, successBody } from './api-response.ts'
import { authorize, tokenOf } from './authorize.ts'
import { issueToken } from './oauth.ts'
import { pause } from './pause.ts'
import { readBody } from './read-body.ts'
import type { RequestRecord, WritableRequestLog } from './request-log.ts'
import { findRoute, type Route } from './route.ts'

export type RequestHook = (request: RequestRecord) => void | Promise<void>

export interface ApiParts {
  readonly world: World
  readonly log: WritableRequestLog
  readonly auditor: Auditor
  readonly faults: MatchingFaultTable
  readonly hooks: ReadonlySet<RequestHook>
  readonly signal: AbortSignal
}

const tokenPath = '/oauth/token'

/** Effects on the wire; the last one applies. */
const wireKinds: ReadonlySet<string> = new Set(['reset', 'truncate', 'raw', 'drip', 'huge-body', 'gzip-bomb'])

function templateOf(route: Route, path: string): string | null {
  if (path === tokenPath) return tokenPath
  return route.endpoint === null ? route.template : route.endpoint.template
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(500, 'INTERNAL_ERROR', error instanceof Error ? error.message : 'Unexpected error')
}

function preventsEndpoint(effect: FaultEffect): boolean {
  return effect.kind === 'raw' || (effect.kind === 'reset' && effect.when === 'before')
}

/** Makes the request listener of the API: log, hooks, faults, permission, endpoint, envelope, in this order. */
export function createApiHandler(parts: ApiParts) {
  const { world, log, auditor, faults, hooks, signal } = parts
  const lastData = new Map<string, unknown>()
  const replays = new WeakMap<FaultEffect, Map<string, Reply>>()

  function begin(request: IncomingMessage, url: URL, route: Route): RequestRecord {
    const token = tokenOf(world, request.headers)
    const name = token === null ? undefined : world.tokens.nameOf(token)
    const headers: Record<string, string> = {}
    for (const [header, value] of Object.entries(request.headers)) {
      if (header !== world.readings.tokenHeader.toLowerCase() && header !== 'authorization')
        headers[header] = `${value}`
    }
    const record = log.begin({
      time: world.clock(),
      method: request.method ?? '',
      path: url.pathname,
      endpoint: templateOf(route, url.pathname),
      query: Object.fromEntries(url.searchParams),
      headers,
      token: name ?? null,
      tenant: name === undefined ? null : world.tokens.get(name).tenant,
      cursor: url.searchParams.get('cursor'),
    })
    if (url.pathname !== tokenPath) auditor.inspect(record, world.readings, route.endpoint)
    return record
  }

  function answer(
    route: Route,
    record: RequestRecord,
    url: URL,
    token: string | null,
    body: Buffer | null,
    effects: readonly FaultEffect[],
    skewMs: number,
  ): Reply {
    const { readings } = world
    try {
      if (route.endpoint === null) throw route.error
      const credential = authorize(world, token, route.endpoint.permission)
      const isMixed = effects.some(({ kind }) => kind === 'other-tenant')
      const tenant = isMixed === (credential.tenant === 'primary') ? 'second' : 'primary'
      if (body === null) throw new ApiError(413, 'PAYLOAD_TOO_LARGE', 'The request body is too large')
      const { guidCasing, timestamps, unknownFields } = readings
      const upperGuids = guidCasing === 'upper' || (guidCasing === 'alternate' && world.responses % 2 === 1)
      const answered = route.endpoint.handle({
        world,
        tenant: world.tenants[tenant],
        query: url.searchParams,
        id: route.id,
        body,
        style: { timestamps, unknownFields, upperGuids },
        ignoreCursor: effects.some(({ kind }) => kind === 'ignore-cursor'),
      })
      const key = `${record.token} ${record.endpoint}`
      const context = { previousData: lastData.get(key), cursor: record.cursor }
      if (faults.list().length > 0) lastData.set(key, answered.data)
      let envelope = successBody(world, answered, skewMs)
      for (const effect of effects) envelope = reshape(envelope, effect, context)
      noteCursor(record, envelope)
      return jsonReply(readings, answered.status, envelope)
    } catch (error) {
      const failure = toApiError(error)
      return jsonReply(readings, failure.status, errorBody(world, failure, skewMs), failure.headers)
    }
  }

  function noteCursor(record: RequestRecord, envelope: unknown): void {
    if (typeof envelope !== 'object' || envelope === null || !('pagination' in envelope)) return
    const { pagination } = envelope
    if (typeof pagination !== 'object' || pagination === null || !('nextCursor' in pagination)) return
    auditor.issued(record, pagination.nextCursor)
  }

  function cached(record: RequestRecord, effects: readonly FaultEffect[], answer: () => Reply): Reply {
    const effect = effects.find(({ kind }) => kind === 'cached')
    if (effect?.kind !== 'cached') return answer()
    const kept = replays.get(effect) ?? new Map<string, Reply>()
    replays.set(effect, kept)
    const key = JSON.stringify([record.token, record.method, record.path, record.query])
    const first = kept.get(key)
    if (first === undefined) {
      const made = answer()
      kept.set(key, made)
      return made
    }
    const age = effect.ageSeconds === undefined ? {} : caseHeaders({ age: String(effect.ageSeconds) }, world.readings)
    return { ...first, headers: { ...first.headers, ...age } }
  }

  function reply(
    request: IncomingMessage,
    url: URL,
    route: Route,
    record: RequestRecord,
    body: Buffer | null,
    effects: readonly FaultEffect[],
  ): Reply {
    world.responses++
    let skewMs = 0
    for (const effect of effects) if (effect.kind === 'clock-skew') skewMs += effect.ms
    for (const effect of effects) {
      const canned = cannedReply(world, effect, skewMs)
      if (canned !== null) return canned
    }
    if (url.pathname !== tokenPath) {
      return answer(route, record, url, tokenOf(world, request.headers), body, effects, skewMs)
    }
    if (request.method !== 'POST')
      return jsonReply(world.readings, 405, { error: 'invalid_request' }, { allow: 'POST' })
    const issued = issueToken(world, request.headers, body ?? Buffer.alloc(0))
    return jsonReply(world.readings, issued.status, issued.body, { 'cache-control': 'no-store' })
  }

  /** Handles a logged request; returns the status sent, or null when the client got no complete answer. */
  async function work(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    route: Route,
    record: RequestRecord,
  ): Promise<number | null> {
    for (const hook of hooks) await hook(record)
    const effects = faults.apply(record)
    for (const effect of effects) if (effect.kind === 'delay') await pause(effect.ms, signal)
    if (effects.some(({ kind }) => kind === 'hang')) return null

    const wire = effects.findLast(({ kind }) => wireKinds.has(kind))
    if (wire !== undefined && preventsEndpoint(wire)) {
      await writeDistorted(response, { status: 0, headers: {}, body: Buffer.alloc(0) }, wire, signal)
      return null
    }
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
    const body = hasBody ? await readBody(request) : Buffer.alloc(0)
    const plain = cached(record, effects, () => reply(request, url, route, record, body, effects))
    const bad = effects.some(({ kind }) => kind === 'invalid-utf8')
    const ready = bad ? { ...plain, body: withInvalidByte(plain.body) } : plain
    if (wire !== undefined) return (await writeDistorted(response, ready, wire, signal)) ? ready.status : null
    writeWhole(response, ready)
    return ready.status
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator.invalid')
    const route = findRoute(request.method ?? '', url.pathname)
    const record = begin(request, url, route)
    let status: number | null = null
    try {
      status = await work(request, response, url, route, record)
    } finally {
      log.finish(record, status)
    }
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    // Expected when a client disconnects or the simulator closes.
    serve(request, response).catch(() => response.destroy())
  }
}
