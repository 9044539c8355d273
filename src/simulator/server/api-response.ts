import type { Reply } from '../faults/wire.ts'
import { guidFor } from '../random.ts'
import type { Readings } from '../readings.ts'
import type { Answer } from '../resources/endpoint.ts'
import { formatTimestamp } from '../timestamps.ts'
import type { World } from '../world.ts'
import { type ApiError, shapeError } from './api-error.ts'

/** The `meta` of the next response; `skewMs` shifts its clock. */
function nextMeta(world: World, skewMs: number): Record<string, unknown> {
  const { requestIdCasing, metaTimestamps, unknownFields } = world.readings
  const requestId = guidFor(world.responseSeed, world.responses)
  return {
    requestId: requestIdCasing === 'upper' ? requestId.toUpperCase() : requestId,
    timestamp: formatTimestamp(world.clock() + skewMs, metaTimestamps),
    ...(unknownFields && { region: 'eu-west-1' }),
  }
}

export function successBody(world: World, answer: Answer, skewMs: number): unknown {
  const { data, pagination } = answer
  const extra = world.readings.unknownFields ? { warnings: [] } : {}
  return { data, pagination, error: null, meta: nextMeta(world, skewMs), ...extra }
}

/** The body of a failure: the error in an envelope, or bare by the reading `errorEnvelope`. */
export function errorBody(
  world: World,
  error: Pick<ApiError, 'code' | 'message' | 'details'>,
  skewMs: number,
): unknown {
  const { errorShape, errorEnvelope } = world.readings
  const value = shapeError(error, errorShape)
  return errorEnvelope ? { data: null, pagination: null, error: value, meta: nextMeta(world, skewMs) } : value
}

function cased(name: string, style: Readings['headerCase']): string {
  switch (style) {
    case 'lower':
      return name
    case 'upper':
      return name.toUpperCase()
    case 'title':
      return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    default:
      return style satisfies never
  }
}

export function caseHeaders(headers: Readonly<Record<string, string>>, readings: Readings): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [cased(name.toLowerCase(), readings.headerCase), value]))
}

export function jsonReply(
  readings: Readings,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const all = caseHeaders({ 'content-type': 'application/json; charset=utf-8', ...headers }, readings)
  return { status, headers: all, body: Buffer.from(`${JSON.stringify(body) ?? ''}\n`) }
}
