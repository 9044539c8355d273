import { FatalError, SyncError } from '../../../model/errors.ts'
import { lowerFirst } from '../../../model/text/lower-first.ts'
import { type Address, shown } from './address.ts'
import { type KnownFailure, knownFailures } from './known-failures.ts'

/** An error of the connection or of the server, without values of the rows. */
export class DriverError extends Error {
  override readonly name = 'DriverError'
  /** SQLSTATE, or the code of Node; empty if there is none. */
  readonly code: string
  /** Names of objects from the server, for error reports. */
  readonly at: Readonly<Partial<Record<(typeof named)[number], string>>>

  constructor(error: unknown) {
    const given = error as Readonly<Record<string, unknown>>
    const code = String(given['code'] ?? '')
    // Details contain values of rows, and so do messages of classes 22 and 23.
    super(/^2[23]...$/.test(code) ? 'A value is refused' : String(given['message'] || code))
    this.code = code
    this.at = Object.fromEntries(named.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
  }
}

export function throwDriverError(error: unknown): never {
  throw new DriverError(error)
}

const named = ['table', 'column', 'constraint', 'routine'] as const

const isSqlState = /^[0-9FHPX][0-9A-Z]{4}$/

/** True for an error after which the connection cannot be used; a transaction being committed may have been stored. */
export function isLost(error: unknown): boolean {
  return error instanceof DriverError && (!isSqlState.test(error.code) || /^(08|57P0)/.test(error.code))
}

/** True when the server refused the user or its password. Also of errors of the driver. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^28...$/.test(String(error.code))
}

/** Code of a DriverError; empty for any other error. */
export function driverCodeOf(error: unknown): string {
  return error instanceof DriverError ? error.code : ''
}

/** Converts an error of PostgreSQL or the connection to reason `store`, without the URL; returns others unchanged. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof DriverError)) return error
  const { sentence, hint, code } = describe(error)
  return new SyncError('store', `${sentence}${code}`, { cause: error, ...(hint !== undefined && { hint }) })
}

/** The error of a start, which the operator has to repeat. */
export function startError(error: unknown, address: Address): unknown {
  if (!(error instanceof DriverError)) return error
  const { sentence, hint, code } = describe(error)
  const advice = hint === undefined ? '' : `; ${lowerFirst(hint)}`
  return new FatalError(`The ${shown(address)} cannot be used: ${lowerFirst(sentence)}${code}${advice}`, {
    cause: error,
  })
}

function describe({ code, message }: DriverError): Pick<KnownFailure, 'sentence' | 'hint'> & { readonly code: string } {
  const found = knownFailures.find(({ codes, message: said }) =>
    code === '' ? said?.test(message) : codes?.test(code),
  )
  const sentence = isSqlState.test(code)
    ? 'The database server refused a statement'
    : 'The connection to the database server failed'
  return { sentence, ...found, code: code && ` (${code})` }
}
