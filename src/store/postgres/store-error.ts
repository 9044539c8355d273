import { FatalError, SyncError } from '../../model/errors.ts'
import { lowerFirst } from '../../model/text/lower-first.ts'
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

/** The connection was lost before the answer to COMMIT: the server may still commit, even some seconds later. */
export class LostCommitError extends DriverError {}

/** @param error of a transaction whose COMMIT was sent. */
export function ofCommit(error: unknown): unknown {
  const isLost = error instanceof DriverError && !(isSqlState.test(error.code) && !/^(08|57P0)/.test(error.code))
  return isLost ? new LostCommitError(error) : error
}

const isSqlState = /^[0-9FHPX][0-9A-Z]{4}$/

const named = ['table', 'column', 'constraint', 'routine'] as const

/** Code for a missing answer. */
const silent = 'ETIMEDOUT'

export function serverSilent(): DriverError {
  return new DriverError({ code: silent, message: 'The database server does not answer' })
}

/** True for an error of an operation that the server did not answer. */
export function isOfSilence(error: unknown): boolean {
  return error instanceof SyncError && driverCodeOf(error.cause) === silent
}

/** True if the server accepts no more connections at present. */
export function isFull(error: unknown): boolean {
  return stateOf(error) === '53300'
}

/** True when the server refused the user or its password. */
export function isRefusal(error: unknown): boolean {
  return /^28...$/.test(stateOf(error))
}

/** The code of the driver's own errors, too. */
function stateOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Code of a DriverError; empty for any other error. */
export function driverCodeOf(error: unknown): string {
  return error instanceof DriverError ? error.code : ''
}

/** Converts an error of PostgreSQL or the connection to reason `store`, without the URL; returns others unchanged. */
export function storeError(error: unknown): unknown {
  const found = describe(error)
  if (found === null) return error
  return new SyncError('store', `${found.sentence}${found.code}`, {
    cause: error,
    ...(found.hint !== undefined && { hint: found.hint }),
  })
}

/** The error of a start, which the operator has to repeat. */
export function startError(error: unknown, address: Address): unknown {
  const found = describe(error)
  if (found === null) return error
  const hint = found.hint === undefined ? '' : `; ${lowerFirst(found.hint)}`
  return new FatalError(`The ${shown(address)} cannot be used: ${lowerFirst(found.sentence)}${found.code}${hint}`, {
    cause: error,
  })
}

function describe(error: unknown): Described | null {
  if (!(error instanceof DriverError)) return null
  const { code, message, at } = error
  const fits = ({ codes, message: said, routine }: KnownFailure) =>
    (code === '' ? said?.test(message) : codes.test(code)) && (routine === undefined || routine.test(at.routine ?? ''))
  const sentence = isSqlState.test(code)
    ? 'The database server refused a statement'
    : 'The connection to the database server failed'
  return { sentence, ...knownFailures.find(fits), code: code && ` (${code})` }
}

interface Described extends Pick<KnownFailure, 'sentence' | 'hint'> {
  readonly code: string
}
