import type { Settings } from '../../config/settings.ts'
import type { Io } from '../../model/process/io.ts'
import { grouped } from '../../model/text/numbers.ts'
import type { SyncProgress } from '../../sync/observer.ts'
import { statusLine } from './io.ts'

/** Shows how far a sync is on a terminal, in a line that is overwritten: `users 12,400, details 120/200`. */
export function syncProgress(io: Io, { tenants }: Pick<Settings, 'tenants'>): SyncProgress & { clear(): void } {
  const read = new Map<string, { records: number; details: string }>()
  const line = statusLine(io)
  const nameOf = (tenant: string, resource: string) => (tenants.length > 1 ? `${tenant} ${resource}` : resource)
  const show = (tenant: string, resource: string, change: (one: { records: number; details: string }) => void) => {
    const one = read.get(nameOf(tenant, resource)) ?? { records: 0, details: '' }
    change(one)
    read.set(nameOf(tenant, resource), one)
    line.show(() => [...read].map(([name, of]) => `${name} ${grouped(of.records)}${of.details}`).join(' · '))
  }
  return {
    page: (tenant, resource, _pages, records) =>
      show(tenant, resource, (one) => {
        one.records += records
      }),
    lookedUp: (tenant, resource, done, wanted) =>
      show(tenant, resource, (one) => {
        one.details = `, details ${grouped(done)}/${grouped(wanted)}`
      }),
    runEnded: ({ tenant, resource }) => void read.delete(nameOf(tenant, resource)),
    clear: line.clear,
  }
}
