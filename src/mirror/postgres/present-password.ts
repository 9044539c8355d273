import type { Log } from '../../model/log.ts'
import { parseAddress } from './address.ts'

interface UrlSource {
  readonly url: (refused?: 'refused') => Promise<string>
  readonly log?: Log
}

/**
 * Reads the password of the URL as it is now; the last one counts while the URL cannot be read, as while its file is
 * replaced.
 *
 * @param first of the URL when it was read first.
 */
export function presentPassword({ url, log }: UrlSource, first: string | null) {
  let last = first
  let isReadable = true
  return async (refused?: 'refused'): Promise<string | null> => {
    try {
      last = parseAddress(await url(refused)).password
      isReadable = true
    } catch (error) {
      const problem = { problem: error instanceof Error ? error.message : String(error) }
      if (isReadable) log?.warn(problem, 'The URL of the database cannot be read: connecting with its last password')
      isReadable = false
    }
    return last
  }
}
