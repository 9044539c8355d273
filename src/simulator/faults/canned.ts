import { caseHeaders, errorBody, jsonReply } from '../server/api-response.ts'
import type { World } from '../world.ts'
import type { FaultEffect } from './effect.ts'
import type { Reply } from './wire.ts'

/** Codes of the specification by status; other statuses get `ERROR`. */
const codes: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'VALIDATION_FAILED',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
}

const signInPage = '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in</body></html>'

export function cannedReply(world: World, effect: FaultEffect, skewMs: number): Reply | null {
  const { readings } = world
  switch (effect.kind) {
    case 'status': {
      const code = effect.code ?? codes[effect.status] ?? 'ERROR'
      const error = { code, message: effect.message ?? 'Injected fault', details: [] }
      return jsonReply(readings, effect.status, errorBody(world, error, skewMs), effect.headers)
    }
    case 'body': {
      const type = effect.contentType ?? 'application/json; charset=utf-8'
      const headers = caseHeaders({ 'content-type': type, ...effect.headers }, readings)
      return { status: effect.status ?? 200, headers, body: Buffer.from(effect.body) }
    }
    case 'html': {
      const headers = caseHeaders({ 'content-type': 'text/html; charset=utf-8' }, readings)
      return { status: 200, headers, body: Buffer.from(signInPage) }
    }
    default:
      return null
  }
}
