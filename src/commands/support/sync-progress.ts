import type { Settings } from '../../config/settings.ts'
import { secondMs } from '../../model/durations.ts'
import { type Io, print } from '../../model/process/io.ts'
import { grouped } from '../../model/text/numbers.ts'
import type { SyncProgress } from '../../sync/observer.ts'
import { statusLine } from './io.ts'

interface Read {
  records: number
  details: string
}

/** Pause between two lines where there is no terminal, in milliseconds. */
const pipedEveryMs = 30 * secondMs

/**
 * Shows how far a sync is (`users 12,400, details 120/200`): on a terminal as one line that is overwritten, elsewhere as a
 * line on standard output every 30 s, so that a short sync prints its summary only.
 */
export function syncProgress(io: Io, { tenants }: Pick<Settings, 'tenants'>): SyncProgress & { clear(): void } {
  const read = new Map<string, Read>()
  const line = statusLine(io)
  let printedAt = io.clock.monotonic()
  const of = (tenant: string, resource: string) => {
    const name = nameOf(tenant, resource)
    const known = read.get(name) ?? { records: 0, details: '' }
    read.set(name, known)
    return known
  }
  const nameOf = (tenant: string, resource: string) => (tenants.length > 1 ? `${tenant} ${resource}` : resource)
  const limits = [...new Set(tenants.map(({ api }) => api.requestsPerSecond))]
  const limit = limits.length === 1 && limits[0] !== 0 ? ` · at most ${limits[0]} requests/s` : ''
  const text = () =>
    [...read].map(([name, { records, details }]) => `${name} ${grouped(records)}${details}`).join(' · ') + limit
  function show(): void {
    line.show(text)
    const now = io.clock.monotonic()
    if (io.stderr.isTTY === true || now - printedAt < pipedEveryMs) return
    printedAt = now
    print(io, text())
  }
  return {
    page(tenant, resource, _pages, records) {
      of(tenant, resource).records += records
      show()
    },
    lookedUp(tenant, resource, done, wanted) {
      of(tenant, resource).details = `, details ${grouped(done)}/${grouped(wanted)}`
      show()
    },
    runEnded({ tenant, resource }) {
      read.delete(nameOf(tenant, resource))
    },
    clear: line.clear,
  }
}
