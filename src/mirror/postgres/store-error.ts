import { FatalError, SyncError } from '../../model/errors.ts'
import { type Address, shown } from './address.ts'

/** An error of the connection or of the server, without values of the rows. */
export class DriverError extends Error {
  override readonly name = 'DriverError'
  /** SQLSTATE, or the code of Node; empty where there is none. */
  readonly code: string
  /** Names that the server gives, for a report of the error. */
  readonly at: Readonly<Partial<Record<(typeof named)[number], string>>>

  constructor(error: unknown) {
    const given = error as Readonly<Record<string, unknown>>
    const code = String(given['code'] ?? '')
    // Details name values of the rows, and so do messages of classes 22 and 23.
    super(/^2[23]...$/.test(code) ? 'A value is refused' : String(given['message'] || code))
    this.code = code
    this.at = Object.fromEntries(named.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
  }
}

/** The connection was lost before the answer to COMMIT: the server may store the transaction, even some seconds later. */
export class LostCommitError extends DriverError {}

/** @param error of a transaction whose COMMIT was sent. */
export function ofCommit(error: unknown): unknown {
  const isLost = error instanceof DriverError && !(isSqlState.test(error.code) && !/^(08|57P0)/.test(error.code))
  return isLost ? new LostCommitError(error) : error
}

const isSqlState = /^[0-9FHPX][0-9A-Z]{4}$/

const named = ['table', 'column', 'constraint', 'routine'] as const

/** An answer is due, and none came. */
const silent = 'ETIMEDOUT'

export function serverSilent(): DriverError {
  return new DriverError({ code: silent, message: 'The database server does not answer' })
}

/** True for an error of an operation that waited for the server in vain. */
export function isOfSilence(error: unknown): boolean {
  return error instanceof SyncError && codeOf(error.cause) === silent
}

/** True when the server takes no more connections now. */
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

export function codeOf(error: unknown): string {
  return error instanceof DriverError ? error.code : ''
}

interface Known {
  /** SQLSTATE or its class, or a code of Node. */
  readonly codes: RegExp
  /** Without a code: what the driver says. */
  readonly message?: RegExp
  readonly sentence: string
  readonly hint?: string
}

/** The first that fits counts. */
const known: readonly Known[] = [
  { codes: /^$/, message: /^Cannot use a pool after/, sentence: 'The mirror is closed' },
  {
    codes: /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|ENOENT|08|57P0)/,
    message: /^(Connection terminated|timeout e|Client has encountered a connection error|Client was closed)/i,
    sentence: 'The database server cannot be reached',
    hint: 'Check that the server runs and that the host and port of store.url are right; it is tried again',
  },
  {
    codes: /^28/,
    message: /^SASL|password must be a string/i,
    sentence: 'The database server refused the user or its password',
    hint: 'Check the user and password of store.url, pg_hba.conf, and by sslmode whether the server wants TLS',
  },
  {
    codes: /^3D000/,
    sentence: 'The database does not exist',
    hint: 'Create it with "createdb", or correct its name in store.url',
  },
  {
    codes: /^(DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/,
    message: /SSL/,
    sentence: 'No TLS connection to the database server was agreed on',
    hint: 'Name the authority of its certificate by sslrootcert in store.url; sslmode=disable connects without TLS',
  },
  {
    codes: /^53[12]00/,
    sentence: 'The database server has no room left',
    hint: 'Free space or memory on the database server; nothing was lost',
  },
  {
    codes: /^53/,
    sentence: 'The database server takes no more connections',
    hint: 'Raise max_connections, or use a pooler',
  },
  {
    codes: /^26000/,
    sentence: 'A pooler gave a prepared statement to another connection',
    hint: 'PgBouncer in transaction mode needs version 1.21 or later and max_prepared_statements; session mode needs neither',
  },
  {
    codes: /^25006/,
    sentence: 'The database is read-only',
    hint: 'Let store.url point to the primary server, not to a standby',
  },
  {
    codes: /^42501/,
    sentence: 'The database user lacks a permission',
    hint: 'Make it the owner of the database, or of all tables of tenantwatch',
  },
  {
    codes: /^(42P01|42703|42883|3F000)/,
    sentence: 'Tables of the database are missing or have another layout',
    hint: 'Restore a backup, or give tenantwatch an empty database',
  },
  {
    codes: /^(57014|25P03|55P03)/,
    sentence: 'The database server took too long',
    hint: 'Check the load and the locks of the database server; it is tried again',
  },
  {
    codes: /^(40001|40P01)/,
    sentence: 'The transaction kept conflicting with others',
    hint: 'Nothing was lost; it is tried again',
  },
  {
    codes: /^XX00[12]/,
    sentence: 'The database is damaged',
    hint: 'Check it with pg_amcheck, and restore a backup',
  },
]

/** An error of PostgreSQL or of the connection as one of reason `store`; any other as it is. Never with the URL. */
export function storeError(error: unknown): unknown {
  const found = describe(error)
  if (found === null) return error
  return new SyncError('store', `${found.sentence}${found.code}`, {
    cause: error,
    ...(found.hint !== undefined && { hint: found.hint }),
  })
}

/** At the start, where trying again is the operator's. */
export function startError(error: unknown, address: Address): unknown {
  const found = describe(error)
  if (found === null) return error
  const hint = found.hint === undefined ? '' : `; ${lowerFirst(found.hint.replace(/; it is .*/, ''))}`
  return new FatalError(`The ${shown(address)} cannot be used: ${lowerFirst(found.sentence)}${found.code}${hint}`, {
    cause: error,
  })
}

function describe(error: unknown): { sentence: string; code: string; hint?: string } | null {
  if (!(error instanceof DriverError)) return null
  const { code, message } = error
  const one = known.find((each) => (code === '' ? each.message?.test(message) : each.codes.test(code)))
  return { sentence: 'The database server refused a statement', ...one, code: code && ` (${code})` }
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
