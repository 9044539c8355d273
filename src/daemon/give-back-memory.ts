import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In bytes. A larger process collects garbage by itself, and a forced collection would delay scrapes for long. */
const mostResident = 144 * 2 ** 20

type Collect = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void

/** Frees the memory of the start, which V8 keeps in an idle daemon; false, without effect, in a large process. */
export function giveBackMemory(resident = process.memoryUsage.rss()): boolean {
  if (resident > mostResident) return false
  // Only a new context gets this function, and only while the flag is set.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return true
}
