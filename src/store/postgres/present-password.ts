import type { Log } from '../../model/log.ts'
import { parseAddress, shown } from '../db/postgres/address.ts'

interface UrlSource {
  readonly url: (refused?: 'refused') => Promise<string>
  readonly log?: Log
}

/**
 * Reads the current password of the URL; the last one is used while the URL cannot be read, as while its file is
 * replaced.
 *
 * @param first the URL as first read, whose address is used until the end of the process.
 */
export function presentPassword({ url, log }: UrlSource, first: ReturnType<typeof parseAddress>) {
  let last = first.password
  let isReadable = true
  let isSamePlace = true
  return async (refused?: 'refused'): Promise<string | null> => {
    try {
      const { address, password } = parseAddress(await url(refused))
      last = password
      isReadable = true
      const isSame = shown(address) === shown(first.address)
      if (isSamePlace && !isSame) log?.warn({ inUse: shown(first.address), named: shown(address) }, elsewhere)
      isSamePlace = isSame
    } catch (error) {
      const problem = { problem: error instanceof Error ? error.message : String(error) }
      if (isReadable) log?.warn(problem, 'The URL of the database cannot be read: connecting with its last password')
      isReadable = false
    }
    return last
  }
}

const elsewhere =
  'store.url names another host, port or database than the one in use: it takes a restart of all replicas at the same time'
