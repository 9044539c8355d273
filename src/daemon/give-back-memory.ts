import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Resident set of a daemon with little to do, in bytes. One that is larger has work enough to make the engine tidy up by
 * itself, and to do it all at once would hold up scrapes for longer than it is worth.
 */
const mostResident = 144 * 2 ** 20

type Collect = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

/**
 * Gives the system back what the start and the first readings took. Of itself the JavaScript engine does so only once
 * its heap is full, which that of a daemon with little to do never is.
 *
 * @returns false, with nothing done, where the process is large.
 */
export function giveBackMemory(resident = process.memoryUsage.rss()): boolean {
  if (resident > mostResident) return false
  // The engine's own function, which only a new context is given, and only while the flag is set.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return true
}
