import type { Daemon } from './program.ts'
import { until } from './until.ts'

/** One answer of the daemon; times in milliseconds since the epoch. */
export interface Scrape {
  readonly at: number
  readonly ms: number
  /** When all checks were last evaluated, as this scrape shows it; 0 = never. */
  readonly evaluatedAt: number
  /** Full syncs of the users that have succeeded. */
  readonly fullSyncs: number
  readonly residentMiB: number
}

const everyMs = 50
const users = /^tenantwatch_sync_runs_total\{[^}]*resource="users",mode="full",outcome="success"\} (\S+)/m
const evaluated = /^tenantwatch_evaluation_last_timestamp_seconds\{[^}]*\} (\S+)/m
const resident = /^process_resident_memory_bytes (\S+)/m

/** Scrapes a daemon again and again, as a monitoring system would, only faster. */
export class Scraper {
  readonly scrapes: Scrape[] = []
  readonly #daemon: Daemon

  constructor(daemon: Daemon) {
    this.#daemon = daemon
  }

  /** Scrapes until so many full syncs of the users have succeeded and all checks were evaluated after the last of them. */
  async untilSwept(count: number): Promise<void> {
    let sweptAt = Number.POSITIVE_INFINITY
    await until(`${count} full syncs were evaluated`, everyMs, async () => {
      const at = Date.now()
      const began = performance.now()
      const { text } = await this.#daemon.get('/metrics')
      const ms = performance.now() - began
      const scrape = { at, ms, evaluatedAt: numberIn(text, evaluated) * 1000, fullSyncs: numberIn(text, users) }
      this.scrapes.push({ ...scrape, residentMiB: numberIn(text, resident) / 2 ** 20 })
      if (scrape.fullSyncs >= count) sweptAt = Math.min(sweptAt, at)
      return scrape.evaluatedAt >= sweptAt - everyMs
    })
  }
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0)
}
