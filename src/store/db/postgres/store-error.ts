import { FatalError, SyncError } from '../../../model/errors.ts'
import { lowerFirst } from '../../../model/text/words.ts'
import { type Address, shown } from './address.ts'

/** An error of the connection or of the server, without values of the rows. */
export class DriverError extends Error {
  override readonly name = 'DriverError'
  /** SQLSTATE, or the code of Node; empty if there is none. */
  readonly code: string

  constructor(error: unknown) {
    const { code = '', message } = error as { readonly code?: unknown; readonly message?: unknown }
    // Messages of classes 22 and 23 contain values of rows.
    super(/^2[23]...$/.test(String(code)) ? 'A value is refused' : String(message || code))
    this.code = String(code)
  }
}

export function throwDriverError(error: unknown): never {
  throw new DriverError(error)
}

const isSqlState = /^[0-9FHPX][0-9A-Z]{4}$/

/** True for an error after which the connection cannot be used; a transaction being committed may have been stored. */
export function isLost(error: unknown): boolean {
  return error instanceof DriverError && (!isSqlState.test(error.code) || /^(08|57P0)/.test(error.code))
}

/** Code of a DriverError; empty for any other error. */
export function driverCodeOf(error: unknown): string {
  return error instanceof DriverError ? error.code : ''
}

/** Converts an error of PostgreSQL or the connection to reason `store`, without the URL; returns others unchanged. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof DriverError)) return error
  const { code, message } = error
  const known = failures.find(({ codes, messages }) => (code === '' ? messages?.test(message) : codes?.test(code)))
  const unknown = isSqlState.test(code)
    ? 'The database server refused a statement'
    : 'The connection to the database server failed'
  const sentence = `${known?.sentence ?? unknown}${code && ` (${code})`}`
  return new SyncError('store', sentence, { cause: error, hint: known?.hint })
}

/** The error of a start, which the operator has to repeat. */
export function startError(error: unknown, address: Address): unknown {
  if (!(error instanceof SyncError)) return error
  const { message, hint } = error
  const advice = hint === undefined ? '' : `; ${lowerFirst(hint)}`
  return new FatalError(`The ${shown(address)} cannot be used: ${lowerFirst(message)}${advice}`, { cause: error })
}

interface Failure {
  /** SQLSTATE or its class, or an error code of Node. */
  readonly codes?: RegExp
  /** Messages of the driver, for errors without a code. */
  readonly messages?: RegExp
  readonly sentence: string
  readonly hint?: string
}

/** The first match counts. */
const failures: readonly Failure[] = [
  {
    codes: /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|ENOENT|08|57P0)/,
    messages: /^(connection terminated|timeout e|query read timeout|client has encountered|client was closed)/i,
    sentence: 'The database server cannot be reached',
    hint: 'Check that the server runs and that the host and port of store.url are right',
  },
  {
    codes: /^28/,
    messages: /^SASL|password must be a string/i,
    sentence: 'The database server refused the user or its password',
    hint: 'Check the user and password of store.url, pg_hba.conf, and whether the server wants TLS (sslmode) or a client certificate (sslcert)',
  },
  {
    codes: /^3D000/,
    sentence: 'The database does not exist',
    hint: 'Create it with "createdb", or correct its name in store.url',
  },
  {
    codes: /^(CERT_|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|INVALID_CA|ERR_TLS_|ERR_SSL_|ERR_OSSL_|EPROTO)/,
    messages: /SSL/,
    sentence: 'No TLS connection to the database server was agreed on',
    hint: 'Check that the server offers TLS (ssl=on) or set sslmode=disable, that its certificate is valid now, names the host of store.url and is of the authority sslrootcert, and that sslcert and sslkey are what it accepts',
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
    hint: 'Set store.url to the primary server, not to a standby; on the primary server, reset default_transaction_read_only',
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
    hint: 'Check the load and the locks of the database server',
  },
  {
    codes: /^(40001|40P01)/,
    sentence: 'The transaction kept conflicting with others',
    hint: 'Nothing was lost',
  },
  {
    codes: /^(XX|58|F0)/,
    sentence: 'The database server has a fault of its own',
    hint: 'Its log says more; for XX001 and XX002, check the database with pg_amcheck and restore a backup',
  },
]
