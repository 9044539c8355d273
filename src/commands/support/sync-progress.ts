import type { Settings } from '../../config/settings.ts'
import { secondMs } from '../../model/durations.ts'
import { type Io, print } from '../../model/process/io.ts'
import { grouped, plural } from '../../model/text/numbers.ts'
import type { RunResult, SyncProgress } from '../../sync/observer.ts'
import { statusLine } from './io.ts'

interface Read {
  records: number
  details: string
  /** Text if the run looks up as many records as a run may, so that others may remain for later runs; else empty. */
  limit: string
}

/** Least pause between outputs without a terminal, in milliseconds, for ended runs and for runs in progress. */
const pipedPauseMs = { ended: secondMs, inProgress: 30 * secondMs }

/**
 * Shows how far a sync is (`users 12,400, details 120/200`): on a terminal as one line that is overwritten, elsewhere as
 * lines on standard output, one for each run that ended and one every 30 s for those in progress. A sync of less than a
 * second prints its summary only.
 */
export function syncProgress(io: Io, { tenants }: Pick<Settings, 'tenants'>): SyncProgress & { clear(): void } {
  const read = new Map<string, Read>()
  const line = statusLine(io)
  const ended: string[] = []
  let printedAt = io.clock.monotonic()
  let hasPrinted = false
  const of = (tenant: string, resource: string) => {
    const name = nameOf(tenant, resource)
    const known = read.get(name) ?? { records: 0, details: '', limit: '' }
    read.set(name, known)
    return known
  }
  const nameOf = (tenant: string, resource: string) => (tenants.length > 1 ? `${tenant} ${resource}` : resource)
  const perRun = (tenant: string) => tenants.find(({ name }) => name === tenant)?.userDetails.perRun
  const limits = [...new Set(tenants.map(({ api }) => api.requestsPerSecond))]
  const limit = limits.length === 1 && limits[0] !== 0 ? ` · at most ${limits[0]} requests/s` : ''
  const inProgress = () =>
    [...read].map(([name, { records, details }]) => `${name} ${grouped(records)}${details}`).join(' · ')
  const text = () => (read.size === 0 ? '' : inProgress() + limit)
  function show(): void {
    if (read.size === 0 && ended.length === 0) return
    line.show(text)
    const now = io.clock.monotonic()
    const pauseMs = ended.length > 0 ? pipedPauseMs.ended : pipedPauseMs.inProgress
    if (io.stderr.isTTY === true || now - printedAt < pauseMs) return
    printedAt = now
    hasPrinted = true
    for (const one of ended.length > 0 ? ended.splice(0) : [text()]) print(io, one)
  }
  return {
    page(tenant, resource, _pages, records) {
      of(tenant, resource).records += records
      show()
    },
    lookedUp(tenant, resource, done, wanted) {
      const one = of(tenant, resource)
      one.details = `, details ${grouped(done)}/${grouped(wanted)}`
      one.limit = wanted === perRun(tenant) ? ` (at most ${grouped(wanted)} a run)` : ''
      show()
    },
    runEnded(result) {
      const name = nameOf(result.tenant, result.resource)
      const { records, details, limit: most } = of(result.tenant, result.resource)
      read.delete(name)
      if (result.outcome === 'skipped') return
      ended.push(`${name}: ${endedText(result, `${plural(records, 'record')}${details}${most}`)}`)
      show()
    },
    clear() {
      line.clear()
      if (hasPrinted) for (const one of ended.splice(0)) print(io, one)
    },
  }
}

/** In milliseconds: a shorter run was refused before its first request, so its duration is not shown. */
const shownMs = 50

function endedText({ mode, outcome, reason, durationMs }: RunResult, read: string): string {
  const seconds = `${(durationMs / secondMs).toFixed(1)} s`
  if (outcome !== 'failure') return `${mode} sync, ${read}, ${seconds}`
  const after = durationMs < shownMs ? '' : ` after ${seconds}`
  return `${mode} sync failed${after} (${reason ?? 'internal'})`
}
