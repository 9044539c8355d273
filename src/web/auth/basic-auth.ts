import { createHmac } from 'node:crypto'
import { boundedQueue } from './queue.ts'

/** Whether a password belongs to a bcrypt hash; computed beside the event loop. */
export type Compare = (password: string, hash: string) => Promise<boolean>

/** The native library is loaded with the first password, so that only who has users needs it. */
export const compareBcrypt: Compare = async (password, hash) => {
  const { default: bcrypt } = await import('bcrypt')
  // The same algorithm under the name that Apache gave it.
  return bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2b$'))
}

/** `busy`: so many passwords wait to be compared that this one was not looked at. */
export type CheckResult = 'granted' | 'denied' | 'busy'

/** Bcrypt hashes by user name. */
export type Users = ReadonlyMap<string, string>

/** Evaluates an Authorization header for these users. */
export type BasicAuth = (users: Users, authorization: string | undefined) => Promise<CheckResult>

/** One comparison keeps a core at work for a tenth of a second and more, so somebody who guesses gets one core at most. */
const mostWaiting = 16
/** Two clients with the same right password need one entry; more than this is somebody who plays with long passwords. */
const maxRemembered = 100

/**
 * Basic authentication against bcrypt hashes. A header that was right once is remembered under a keyed hash of it, for as
 * long as its user's hash is the same: a scrape costs no comparison. A name that nobody has takes as long as one of the
 * users'.
 *
 * @param key random bytes that nobody else has; known ones would let others find which headers are remembered.
 */
export function basicAuth(key: Uint8Array, compare: Compare = compareBcrypt): BasicAuth {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  const remembered = new Set<string>()
  const underWay = new Map<string, Promise<boolean>>()
  const queued = boundedQueue(mostWaiting)

  function remember(id: string): void {
    const [oldest] = remembered
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest)
    remembered.add(id)
  }

  /** The hash of a user, for a stranger always the same one of somebody. */
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
    // A stranger may share the hash, and once had that name.
    const isUser = users.has(credentials.name)
    if (isUser && remembered.has(id)) return 'granted'
    // Who asks the same several times at once waits for one comparison.
    const comparison = underWay.get(id) ?? queued(() => compare(credentials.password, hash))
    if (comparison === undefined) return 'busy'
    underWay.set(id, comparison)
    try {
      if (!(await comparison) || !isUser) return 'denied'
      remember(id)
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

/** Name and password of a header (RFC 7617); undefined when it holds none. */
function readCredentials(authorization: string): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z\d+/]+={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}
