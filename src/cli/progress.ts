import type { SyncObserver } from '../sync/observer.ts'
import type { Io } from './io.ts'

const everyMs = 200

/** One line on the terminal that tells how far long work is; nothing where nobody watches. */
export function progressLine({ stderr, clock }: Io): { readonly page: SyncObserver['page']; clear(): void } {
  const records = new Map<string, number>()
  let shownAt = Number.NEGATIVE_INFINITY
  const shown = stderr.isTTY === true
  return {
    page(tenant, resource, _pages, count) {
      const name = `${tenant} ${resource}`
      records.set(name, (records.get(name) ?? 0) + count)
      const now = clock.monotonic()
      if (!shown || now - shownAt < everyMs) return
      shownAt = now
      const text = [...records].map(([key, sum]) => `${key} ${sum.toLocaleString('en')}`).join('  ')
      stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`)
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K')
    },
  }
}
