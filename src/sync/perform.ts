import { fullSyncOfFeed } from './feeds/feed-full.ts'
import { incrementalSyncOfFeed } from './feeds/feed-incremental.ts'
import { fullSyncOfList } from './lists/list-full.ts'
import { readWhole } from './lists/whole-list.ts'
import type { Run } from './run.ts'

export async function perform(run: Run): Promise<boolean> {
  const { definition } = run
  switch (definition.kind) {
    case 'feed':
      if (run.mode === 'incremental') return incrementalSyncOfFeed(run, definition)
      await fullSyncOfFeed(run, definition)
      return true
    case 'pagedList':
      await fullSyncOfList(run, definition)
      return true
    case 'whole':
      await readWhole(run, definition)
      return true
    default:
      throw new TypeError(`Unknown kind of resource ${definition satisfies never}`)
  }
}
