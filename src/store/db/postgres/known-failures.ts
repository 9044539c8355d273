export interface KnownFailure {
  /** SQLSTATE or its class, or an error code of Node. */
  readonly codes?: RegExp
  /** Message of the driver, for errors without a code. */
  readonly message?: RegExp
  readonly sentence: string
  readonly hint?: string
}

/** The first match counts. */
export const knownFailures: readonly KnownFailure[] = [
  { message: /^Cannot use a pool after/, sentence: 'The mirror is closed' },
  {
    codes: /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|ENOENT|08|57P0)/,
    message:
      /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/i,
    sentence: 'The database server cannot be reached',
    hint: 'Check that the server runs and that the host and port of store.url are right',
  },
  {
    codes: /^28/,
    message: /^SASL|password must be a string/i,
    sentence: 'The database server refused the user or its password',
    hint: 'Check the user and password of store.url, pg_hba.conf, and whether the server wants TLS (sslmode) or a client certificate (sslcert)',
  },
  {
    codes: /^3D000/,
    sentence: 'The database does not exist',
    hint: 'Create it with "createdb", or correct its name in store.url',
  },
  {
    codes: /^ERR_SSL_.*ALERT_(UNKNOWN_CA|\w*CERTIFICATE\w*)$/,
    sentence: 'The database server refused the client certificate, or wants one',
    hint: 'Check that sslcert and sslkey of store.url name a certificate that is valid and of an authority that the server trusts',
  },
  {
    codes: /^ERR_OSSL_/,
    sentence: 'The certificate or key of store.url cannot be used',
    hint: 'Check that the files of sslrootcert, sslcert and sslkey are PEM without a passphrase, and that the key is that of the certificate',
  },
  {
    codes: /^CERT_HAS_EXPIRED/,
    sentence: 'The certificate of the database server has expired',
    hint: 'Renew it on the server, and that of its authority if this one has expired; check the clock of this machine',
  },
  {
    codes: /^CERT_NOT_YET_VALID/,
    sentence: 'The certificate of the database server is not valid yet',
    hint: 'Check the clock of this machine and the dates of the certificate',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID/,
    sentence: 'The certificate of the database server is for another host name',
    hint: 'Name the host in store.url as the certificate does, or renew the certificate with this name',
  },
  {
    codes: /^(DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|CERT_UNTRUSTED|CERT_SIGNATURE|INVALID_CA)/,
    sentence: 'The authority of the certificate of the database server is not trusted',
    hint: 'Name it with sslrootcert in store.url; if it is named, add the authority that the server uses now, and let the server send intermediate certificates',
  },
  {
    message: /does not support SSL/,
    sentence: 'The database server does not offer TLS',
    hint: 'Switch it on there with ssl=on; sslmode=disable connects without TLS',
  },
  {
    codes: /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO)/,
    message: /SSL/,
    sentence: 'No TLS connection to the database server was agreed on',
    hint: 'Check that store.url leads to PostgreSQL or its pooler, which versions of TLS it allows, and whether it wants a client certificate',
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
    codes: /^XX00[12]/,
    sentence: 'The database is damaged',
    hint: 'Check it with pg_amcheck, and restore a backup',
  },
  {
    codes: /^(XX|58|F0)/,
    sentence: 'The database server has a fault of its own',
    hint: 'Its log says more',
  },
]
