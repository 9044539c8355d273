import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { UsageError } from '../../../model/errors.ts'
import { isLoopback } from '../../../model/process/address.ts'
import { containsCertificate } from '../../../model/process/certificate-authorities.ts'

/** Files are read for each connection. */
export interface Tls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly rejectUnauthorized: boolean
  /** The address to compare with the certificate; names need none, because the driver states them. */
  readonly host?: string
  /** Undefined = the name of the server is compared with its certificate. */
  readonly checkServerIdentity?: () => undefined
}

/** Address of a database without its password, so that it can be shown. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly tls: Tls | null
}

const wanted = 'expected postgres://user:password@host:5432/database, with special characters percent-encoded'

const parameters = ['host', 'sslcert', 'sslkey', 'sslmode', 'sslrootcert'] as const
const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/** @throws UsageError that contains no part of the URL, because the password can be anywhere in an invalid one. */
export function parseAddress(text: string): { readonly address: Address; readonly password: string | null } {
  const url = /^postgres(?:ql)?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  if (url === null) throw refused(`is no URL of PostgreSQL; ${wanted}`)
  const rest = url.pathname.slice(1)
  // The rest of a password with an unescaped slash or hash would be read as the database's name and shown.
  if (/[@/:]/.test(rest) || url.hash !== '') throw refused(`contains a character unescaped; ${wanted}`)
  const unknown = [...url.searchParams.keys()].some((name) => !(parameters as readonly string[]).includes(name))
  if (unknown) throw refused(`has a parameter that is not one of ${parameters.join(', ')}`)
  const given = (name: (typeof parameters)[number]) => url.searchParams.get(name)
  const user = decoded(url.username)
  const database = decoded(rest)
  const host = given('host') ?? decoded(url.hostname).replace(/^\[(.*)\]$/, '$1')
  if (user === '' || database === '' || host === '') throw refused(`names no user, host or database; ${wanted}`)
  const password = url.password === '' ? null : decoded(url.password)
  const tls = tlsOf(host, given)
  return { address: { host, port: Number(url.port || 5432), database, user, tls }, password }
}

function tlsOf(host: string, given: (name: (typeof parameters)[number]) => string | null): Tls | null {
  const isLocal = host.startsWith('/') || isLoopback(host)
  const asked = given('sslmode') ?? (isLocal ? 'disable' : 'verify-full')
  if (!(modes as readonly string[]).includes(asked)) throw refused(`has another sslmode than ${modes.join(', ')}`)
  if (asked === 'disable') return null
  // As in libpq, an authority makes `require` verify it.
  const mode = asked === 'require' && given('sslrootcert') !== null ? 'verify-ca' : asked
  const tls: Tls = {
    rejectUnauthorized: mode !== 'require',
    // Without it, Node would compare the certificate with `localhost`.
    ...(isIP(host) !== 0 && { host }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  }
  const files = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const
  for (const [property, parameter] of Object.entries(files)) {
    const path = given(parameter)
    // The driver may make secrets not enumerable.
    if (path !== null)
      Object.defineProperty(tls, property, { get: pemFile(parameter, path), enumerable: true, configurable: true })
  }
  return tls
}

/**
 * Reads the file at each call, because certificates are renewed; while it cannot be read or is incomplete, its last
 * content is used.
 *
 * @throws UsageError when it cannot be read the first time.
 */
function pemFile(parameter: (typeof parameters)[number], path: string): () => string {
  const read = () => {
    const text = readText(parameter, path)
    if (parameter === 'sslrootcert' && !containsCertificate(text))
      throw refused('names a sslrootcert without a certificate')
    return text
  }
  let last = read()
  return () => {
    try {
      last = read()
    } catch {}
    return last
  }
}

function readText(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw refused(`names a ${parameter} that cannot be read`)
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused(`contains a character unescaped; ${wanted}`)
  }
}

function refused(problem: string): UsageError {
  return new UsageError(`The URL of store.url ${problem}`)
}

/** Address for messages. */
export function shown({ host, port, database }: Address): string {
  return `database "${database}" at ${host.includes(':') ? `[${host}]` : host}:${port}`
}
