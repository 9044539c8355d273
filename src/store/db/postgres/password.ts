import type { Log } from '../../../model/log.ts'
import { type Address, parseAddress, shown } from './address.ts'
import type { Password } from './pool.ts'

interface UrlSource {
  readonly url: () => Promise<string>
  readonly log?: Log
}

/**
 * Reads the current password of the URL; the last one is used while the URL cannot be read, as while its file is
 * replaced.
 *
 * @param first the URL as first read, whose address is used until the end of the process.
 */
export function currentPassword(
  { url, log }: UrlSource,
  first: { readonly address: Address; readonly password: string | null },
): Password {
  let last = first.password
  let warned = ''
  const warnOnce = (fields: object, message: string) => {
    if (message !== warned) log?.warn(fields, message)
    warned = message
  }
  return async () => {
    try {
      const { address, password } = parseAddress(await url())
      last = password
      if (shown(address) === shown(first.address)) warned = ''
      else warnOnce({ inUse: shown(first.address), named: shown(address) }, elsewhere)
    } catch (error) {
      warnOnce({ problem: error instanceof Error ? error.message : String(error) }, unreadable)
    }
    return last
  }
}

const unreadable = 'The URL of the database cannot be read: connecting with its last password'

const elsewhere =
  'store.url names another host, port or database than the one in use: it takes a restart of all replicas at the same time'
