import { pollFeed } from './feed-poll.ts'
import { sweepFeed } from './feed-sweep.ts'
import { walkList } from './list-walk.ts'
import type { Run } from './run.ts'
import { readWhole } from './whole-list.ts'

/** Runs a resource in the way of its kind; false when nothing was to be asked. */
export async function perform(run: Run): Promise<boolean> {
  const { definition } = run
  switch (definition.kind) {
    case 'feed':
      if (run.mode === 'poll') return pollFeed(run, definition)
      await sweepFeed(run, definition)
      return true
    case 'walk':
      await walkList(run, definition)
      return true
    case 'whole':
      await readWhole(run, definition)
      return true
    default:
      throw new TypeError(`Unknown kind of resource ${definition satisfies never}`)
  }
}
