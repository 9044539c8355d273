import { parseIsoDate } from '../../model/dates.ts'
import { SyncError } from '../../model/errors.ts'
import { isObject } from '../decode/is-object.ts'
import { kindOf } from '../decode/kind-of.ts'
import { asGuid, asRequestId } from './error-facts.ts'
import { parseJson } from './parse-json.ts'
import { excessIn } from './value-cap.ts'

export interface Envelope {
  /** Null only where the server sent null. */
  readonly data: unknown
  readonly pagination: unknown
  readonly requestId: string | null
  readonly serverTime: number | null
  readonly timestamp: unknown
}

/** Opens an envelope (docs/api.md#envelope); throws SyncError `protocol` or, for unsafe JSON, `too_large`. */
export function openEnvelope(text: string, status: number, what: string): Envelope {
  const excess = excessIn(text)
  if (excess !== null) throw new SyncError('too_large', `${what} answered ${status} with ${excess}`, { status })
  const body = parseJson(text)
  if (body === undefined) throw violation(what, status, 'the body is not JSON')
  if (!isObject(body)) throw violation(what, status, `the body is ${kindOf(body)}, not an envelope`)
  const { data, error = null, meta, pagination } = body
  const requestId = isObject(meta) ? asRequestId(meta['requestId']) : null
  if (error !== null) throw violation(what, status, 'the envelope carries an error beside a success status', requestId)
  if (data === undefined) throw violation(what, status, 'the envelope has no data', requestId)
  if (!isObject(meta)) throw violation(what, status, `meta of the envelope is ${kindOf(meta)}, not an object`)
  const timestamp = meta['timestamp']
  return { data, pagination, requestId, serverTime: parseIsoDate(timestamp)?.ms ?? null, timestamp }
}

/** A violation of the API contract. Contains a request id only if that is a GUID. */
export function violation(what: string, status: number, problem: string, sent: string | null = null): SyncError {
  const requestId = asGuid(sent)
  return new SyncError('protocol', `${what} answered ${status}, but ${problem}`, {
    status,
    ...(requestId === null ? {} : { requestId }),
  })
}
