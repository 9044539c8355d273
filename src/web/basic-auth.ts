import { createHmac } from 'node:crypto'
import { boundedQueue } from './queue.ts'

/** Tests a password against a bcrypt hash, outside the event loop. */
export type Compare = (password: string, hash: string) => Promise<boolean>

/** Imported at the first password, because the native library is not needed without users. */
export const compareBcrypt: Compare = async (password, hash) => {
  const { default: bcrypt } = await import('bcrypt')
  // Apache's name for the same algorithm.
  return bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2b$'))
}

/** `busy`: not checked, because too many passwords are waiting for comparison. */
export type AuthResult = 'granted' | 'denied' | 'busy'

export type Users = ReadonlyMap<string, string>

export type BasicAuth = (users: Users, authorization: string | undefined) => Promise<AuthResult>

/** Comparisons take 0.1 s of CPU or more. They run one at a time, so that guessing passwords uses at most one core. */
const maxWaiting = 16
/** Accepted headers in the cache; clients with the same credentials share an entry. */
const maxAccepted = 100

/** Caches accepted headers under a hash keyed with `key` (secret random bytes), so that scrapes need no comparison. */
export function basicAuth(key: Uint8Array, compare: Compare = compareBcrypt): BasicAuth {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  const accepted = new Set<string>()
  const underWay = new Map<string, Promise<boolean>>()
  const queued = boundedQueue(maxWaiting)

  function addAccepted(id: string): void {
    const [oldest] = accepted
    if (accepted.size >= maxAccepted && oldest !== undefined) accepted.delete(oldest)
    accepted.add(id)
  }

  /** The hash of a user; for an unknown name that of a fixed user, so that timing reveals no names. */
  function hashFor(users: Users, name: string): string {
    const own = users.get(name)
    if (own !== undefined) return own
    const hashes = [...users.values()]
    return hashes[digest(name).readUInt32BE() % hashes.length] ?? ''
  }

  return async (users, authorization = '') => {
    const credentials = readCredentials(authorization)
    if (credentials === undefined || users.size === 0) return 'denied'
    const hash = hashFor(users, credentials.name)
    const id = digest(`${hash} ${authorization}`).toString('base64')
    // A cached entry may be of a removed user, whose name now maps to another user's hash.
    const isUser = users.has(credentials.name)
    if (isUser && accepted.has(id)) return 'granted'
    // Concurrent requests with the same credentials share one comparison.
    const comparison = underWay.get(id) ?? queued(() => compare(credentials.password, hash))
    if (comparison === undefined) return 'busy'
    underWay.set(id, comparison)
    try {
      if (!(await comparison) || !isUser) return 'denied'
      addAccepted(id)
      return 'granted'
    } finally {
      underWay.delete(id)
    }
  }
}

interface Credentials {
  readonly name: string
  readonly password: string
}

/** Name and password of a header (RFC 7617); undefined when it is invalid. */
function readCredentials(authorization: string): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z\d+/]+={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}
