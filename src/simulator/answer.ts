import type { Cursors } from './cursors.ts'
import type { Style } from './fields.ts'
import type { Readings } from './readings.ts'
import type { Tenant } from './tenant.ts'

export interface Call {
  readonly readings: Readings
  readonly cursors: Cursors
  readonly tenant: Tenant
  /** Number of the response since the start. */
  readonly response: number
  readonly query: URLSearchParams
  /** The `{id}` of the path, or the empty string. */
  readonly id: string
  readonly body: string
  readonly style: Style
  /** Set by a fault: ignore the cursor of the request. */
  readonly ignoreCursor: boolean
  readonly clock: () => number
}

/** The pagination object ("Pagination object"); `limit` is absent on API clients. */
interface Pagination {
  readonly limit?: number
  readonly nextCursor?: string | null
  readonly hasMore: boolean
}

export interface Answer {
  readonly status?: 201
  readonly data: unknown
  readonly pagination?: Pagination
}

/** A refusal of the API ("Errors"). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  /** One text for each invalid field. */
  readonly details: readonly string[]

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    details: readonly string[] = [],
  ) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
    this.details = details
  }
}

/** 400 for an invalid cursor or parameter. */
export function invalidParameter(message: string): ApiError {
  return new ApiError(400, 'VALIDATION_FAILED', message)
}

/** The error value in the format of a reading; the specification does not define the format. */
export function shapeError({ code, message, details }: ApiError, shape: Readings['errorShape']): unknown {
  switch (shape) {
    case 'object':
      return details.length > 0 ? { code, message, details } : { code, message }
    case 'array':
      return (details.length > 0 ? details : [message]).map((text) => ({ code, message: text }))
    case 'string':
      return `${code}: ${message}`
    case 'nested':
      return { error: { code, message }, details }
    default:
      return shape satisfies never
  }
}
