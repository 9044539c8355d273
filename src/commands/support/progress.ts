import type { Io } from '../../model/process/io.ts'
import { grouped } from '../../model/text/grouped.ts'
import type { SyncObserver } from '../../sync/observer.ts'
import { statusLine } from './status-line.ts'

/** Tells on the terminal how many records a sync has read. */
export function progressLine(io: Io): { readonly page: SyncObserver['page']; clear(): void } {
  const records = new Map<string, number>()
  const line = statusLine(io)
  return {
    page(tenant, resource, _pages, count) {
      const name = `${tenant} ${resource}`
      records.set(name, (records.get(name) ?? 0) + count)
      line.show(() => [...records].map(([key, sum]) => `${key} ${grouped(sum)}`).join('  '))
    },
    clear: line.clear,
  }
}
