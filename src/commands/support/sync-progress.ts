import type { Settings } from '../../config/settings.ts'
import type { Io } from '../../model/process/io.ts'
import { grouped, plural } from '../../model/text/numbers.ts'
import type { SyncProgress } from '../../sync/observer.ts'
import { statusLine } from './io.ts'

interface Read {
  records: number
  details: string
}

/**
 * Shows how far a sync is: on a terminal one line that is overwritten (`users 12,400, details 120/200`), elsewhere a line
 * on standard error for each run that ended.
 */
export function syncProgress(io: Io, { tenants }: Pick<Settings, 'tenants'>): SyncProgress & { clear(): void } {
  const read = new Map<string, Read>()
  const line = statusLine(io)
  const nameOf = (tenant: string, resource: string) => (tenants.length > 1 ? `${tenant} ${resource}` : resource)
  const of = (name: string) => {
    const known = read.get(name) ?? { records: 0, details: '' }
    read.set(name, known)
    return known
  }
  const limits = [...new Set(tenants.map(({ api }) => api.requestsPerSecond))]
  const limit = limits.length === 1 && limits[0] !== 0 ? ` · at most ${limits[0]} requests/s` : ''
  const show = () =>
    line.show(
      () =>
        [...read].map(([name, { records, details }]) => `${name} ${grouped(records)}${details}`).join(' · ') + limit,
    )
  return {
    page(tenant, resource, _pages, records) {
      of(nameOf(tenant, resource)).records += records
      show()
    },
    lookedUp(tenant, resource, done, wanted) {
      of(nameOf(tenant, resource)).details = `, details ${grouped(done)}/${grouped(wanted)}`
      show()
    },
    runEnded({ tenant, resource, mode, outcome, reason, durationMs }) {
      const { records = 0, details = '' } = read.get(nameOf(tenant, resource)) ?? {}
      read.delete(nameOf(tenant, resource))
      if (io.stderr.isTTY === true || outcome === 'skipped') return
      const ending = outcome === 'success' ? 'ok' : (reason ?? 'internal')
      const seconds = (durationMs / 1000).toFixed(1)
      io.stderr.write(
        `${tenant} ${resource}: ${mode} sync ${ending}, ${plural(records, 'record')}${details}, ${seconds} s\n`,
      )
    },
    clear: line.clear,
  }
}
