import { setTimeout as delay } from 'node:timers/promises'
import { parseExposition } from '../../metrics/support/parse.ts'
import type { PostgresServer } from './postgres-server.ts'

const everyMs = 1000
/** As Prometheus by default. */
const scrapeTimeoutMs = 10_000

/** What was seen of the replicas, sampled each second. */
export interface Watched {
  readonly samples: number
  /** Tenants exported by two replicas although their owner had not changed, by nobody who owned them, and findings that ended. */
  readonly faults: readonly string[]
  /** Longest time, in seconds, in which no replica exported some tenant. */
  readonly longestGap: number
}

interface Scraped {
  readonly replica: string
  /** Open findings by tenant, check and severity. */
  readonly findings: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Scrapes replicas from now on; whichever do not answer are left out. */
export function watchReplicas(server: PostgresServer) {
  const urls = new Map<string, string>()
  const faults: string[] = []
  const highest = new Map<string, number>()
  const seenAt = new Map<string, number>()
  const stop = new AbortController()
  let samples = 0
  let longestGap = 0

  async function sample(): Promise<void> {
    const before = await owners(server)
    const scraped = (await Promise.all([...urls].map(([replica, url]) => scrape(replica, url)))).flat()
    const after = await owners(server)
    const now = performance.now()
    for (const tenant of new Set(scraped.flatMap(({ findings }) => [...findings.keys()]))) {
      const by = scraped.filter(({ findings }) => findings.has(tenant))
      const names = by.map(({ replica }) => replica).join(' and ')
      // While an owner hands a tenant over, one may be scraped before and the other after it.
      const isSteady = before.get(tenant) === after.get(tenant)
      if (isSteady && by.length > 1) faults.push(`${tenant} is exported by ${names}`)
      if (isSteady && before.get(tenant)?.startsWith('nobody'))
        faults.push(`${tenant} is exported by ${names} and owned by nobody`)
      for (const { findings } of by) noteFindings(tenant, findings.get(tenant) ?? new Map())
      longestGap = Math.max(longestGap, now - (seenAt.get(tenant) ?? now))
      seenAt.set(tenant, now)
    }
    samples++
  }

  /** For tenants whose findings only become more. */
  function noteFindings(tenant: string, counts: ReadonlyMap<string, number>): void {
    for (const [check, count] of counts) {
      const key = `${tenant} ${check}`
      const before = highest.get(key) ?? 0
      if (count < before) faults.push(`${key}: ${count} findings after ${before}`)
      highest.set(key, Math.max(count, before))
    }
  }

  const ended = (async () => {
    while (!stop.signal.aborted) {
      await sample()
      await delay(everyMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  })()
  return {
    add: (replica: string, url: string) => void urls.set(replica, url),
    async end(): Promise<Watched> {
      stop.abort()
      await ended
      return { samples, faults, longestGap: longestGap / 1000 }
    },
  }
}

/** Owner and epoch of each tenant. */
async function owners(server: PostgresServer): Promise<ReadonlyMap<string, string>> {
  const rows = await server.query<{ name: string; owner: string | null; epoch: number }>(
    'select name, owner, epoch from leases o join tenants t on t.id = o.tenant_id',
  )
  return new Map(rows.map(({ name, owner, epoch }) => [name, `${owner ?? 'nobody'} ${epoch}`]))
}

async function scrape(replica: string, url: string): Promise<Scraped[]> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(scrapeTimeoutMs) })
    const text = await response.text()
    if (response.status !== 200) return []
    const findings = new Map<string, Map<string, number>>()
    const lines = text.split('\n').filter((line) => line.startsWith('tenantwatch_findings{'))
    for (const { labels, value } of lines.length === 0 ? [] : parseExposition(`${lines.join('\n')}\n`)) {
      const { tenant = '', check, severity } = labels
      const own = findings.get(tenant) ?? new Map<string, number>()
      findings.set(tenant, own.set(`${check} ${severity}`, value))
    }
    return [{ replica, findings }]
  } catch {
    return []
  }
}
