import { createHmac, randomBytes } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Mutex } from 'async-mutex'
import type { MiddlewareHandler } from 'hono'
import { basicAuth } from 'hono/basic-auth'
import type { Settings } from '../config/settings.ts'
import { isLoopback } from '../model/process/address.ts'
import { refuse, type WebContext, type WebEnv } from './route.ts'

/** Paths for probes, which need no authentication. */
export const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
/** Paths for probes and scrapers, which may use any host name for this machine; their answers contain no tenant records. */
const anyHostPaths: ReadonlySet<string> = new Set([...openPaths, '/metrics'])

/** Refuses unknown names in the Host header and in an absolute request target: another site can point its name here. */
export const checkHost: MiddlewareHandler<WebEnv> = async (c, next) => {
  const { allowedHosts } = c.get('access')
  const target = URL.canParse(c.req.url) ? new URL(c.req.url).host : ''
  const hosts = [c.req.header('host') ?? '', target]
  if (anyHostPaths.has(c.req.path) || hosts.every((host) => isAllowedHost(host, allowedHosts))) return next()
  return refuse(c, 421, 'Unknown host: use an IP address or localhost, or add the name to server.allowedHosts')
}

function isAllowedHost(hostHeader: string, allowed: readonly string[]): boolean {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]+)\]|([^:]*))(?::\d{1,5})?$/.exec(hostHeader) ?? []
  if (bracketed !== undefined) return isIPv6(bracketed)
  const name = plain.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || isIPv4(name) || allowed.includes(name)
}

/** Checked at each request, not in the handshake, so that probes work without a certificate. */
export const checkCertificate: MiddlewareHandler<WebEnv> = async (c, next) => {
  const { tls } = c.get('access')
  if (openPaths.has(c.req.path) || (tls?.clientCa ?? null) === null) return next()
  const { socket } = c.env.incoming
  // A resumed session without a certificate must not count as authorized.
  const hasCertificate = socket instanceof TLSSocket && socket.getPeerX509Certificate() !== undefined
  if (hasCertificate && socket.authorized) return next()
  return refuse(c, 403, 'Client certificate required: present one that client_ca_file accepts')
}

/** Asks for the password of a user where users are configured. */
export function checkUser(isPassword = passwordCheck()): MiddlewareHandler<WebEnv> {
  const authenticate = basicAuth({
    realm: 'tenantwatch',
    verifyUser: (name, password, c: WebContext) => isPassword(c.get('access').users, name, password),
  })
  return async (c, next) => {
    if (openPaths.has(c.req.path) || c.get('access').users.size === 0) return next()
    return authenticate(c, next)
  }
}

type Users = ReadonlyMap<string, string>

/** Imported at the first password, because the native library is not needed without users. */
async function compareBcrypt(password: string, hash: string): Promise<boolean> {
  const { default: bcrypt } = await import('bcrypt')
  // Apache's name for the same algorithm.
  return bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2b$'))
}

const maxAccepted = 100

/**
 * A comparison takes 0.1 s of CPU or more: one runs at a time, so that guessing uses at most one core, and what was
 * accepted is remembered under a keyed hash, so that scrapes need none.
 */
export function passwordCheck(
  compare = compareBcrypt,
): (users: Users, name: string, given: string) => Promise<boolean> {
  const key = randomBytes(32)
  const accepted = new Set<string>()
  const comparisons = new Mutex()
  return async (users, name, password) => {
    const isUser = users.has(name)
    // An unknown name takes as long as a known one.
    const [hash = ''] = isUser ? [users.get(name)] : users.values()
    const id = createHmac('sha256', key)
      .update(JSON.stringify([hash, name, password]))
      .digest('base64')
    if (isUser && accepted.has(id)) return true
    const isEqual = await comparisons.runExclusive(() => compare(password, hash))
    if (!isEqual || !isUser) return false
    if (accepted.size >= maxAccepted) accepted.clear()
    accepted.add(id)
    return true
  }
}

/** True if a browser sent the request from another site's page, according to Sec-Fetch-Site or Origin. */
export function isCrossSite({ req }: WebContext): boolean {
  const site = req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = req.header('origin')
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== req.header('host')
}

/**
 * True if details are served (docs/first-week.md#access): behind authentication, or on loopback without allowed host
 * names, through which a proxy may serve others.
 */
export function exposesDetails(
  { exposeDetails: setting, host, allowedHosts }: Pick<Settings['server'], 'exposeDetails' | 'host' | 'allowedHosts'>,
  authenticated: boolean,
): boolean {
  return setting === 'auto' ? authenticated || (isLoopback(host) && allowedHosts.length === 0) : setting
}
