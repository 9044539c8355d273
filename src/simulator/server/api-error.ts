import type { ErrorShape } from '../readings.ts'

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly string[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    details: readonly string[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.headers = headers
  }
}

/** 400 for an invalid cursor or parameter ("Errors"). */
export function invalidParameter(message: string): ApiError {
  return new ApiError(400, 'VALIDATION_FAILED', message)
}

/** 404, the same for missing records and records of another tenant ("Authentication" 3). */
export function notFound(message: string): ApiError {
  return new ApiError(404, 'NOT_FOUND', message)
}

/** The error value in the format of a reading; the specification does not define the format. */
export function shapeError(error: Pick<ApiError, 'code' | 'message' | 'details'>, shape: ErrorShape): unknown {
  const { code, message, details } = error
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
