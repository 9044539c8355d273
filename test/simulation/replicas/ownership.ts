import { secondMs } from '../../../src/model/durations.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { takeAudit } from './audit.ts'
import type { Transaction } from './connections.ts'
import type { DatabaseServer } from './database-server.ts'
import type { Host } from './host.ts'
import type { ReplicaProcess } from './replica-process.ts'
import type { ReplicaViolationClass } from './violations.ts'

/** Ten seconds until a replica counts as dead, and two rounds of the others (docs/internals/reliability.md#replicas). */
const ownedWithinMs = 15 * secondMs

export interface OwnershipParts {
  readonly time: VirtualTime
  readonly tenants: readonly string[]
  /** Those that were started and have not ended. */
  readonly replicas: () => Iterable<ReplicaProcess>
  readonly server: () => DatabaseServer
  readonly report: (kind: ReplicaViolationClass, what: string) => void
}

/** Watches who owns each tenant, and who writes it. */
export class OwnershipOracle {
  readonly #parts: OwnershipParts
  /** World time at which a tenant last had an exporter. */
  readonly #exportedAt = new Map<string, number>()
  readonly #reported = new Set<string>()
  /** Greatest time without an owner, in milliseconds. */
  longestGapMs = 0
  writes = 0

  constructor(parts: OwnershipParts) {
    this.#parts = parts
    for (const name of parts.tenants) this.#exportedAt.set(name, parts.time.now)
  }

  /** Looks at every replica; to be called after each event. */
  look(): void {
    const { time, tenants, replicas } = this.#parts
    const exporters = new Map<string, string[]>(tenants.map((name) => [name, []]))
    const healthy: number[] = []
    for (const replica of replicas()) {
      const { host } = replica
      if (!host.runs) continue
      if (host.healthySince !== null) healthy.push(host.healthySince)
      for (const name of replica.exported()) exporters.get(name)?.push(host.name)
    }
    for (const [name, hosts] of exporters) {
      if (hosts.length > 1)
        this.#once(`${name} ${hosts}`, 'two_exporters', `${name} is exported by ${hosts.join(' and ')}`)
      const exportedAt = this.#exportedAt.get(name) ?? time.now
      const gapMs = time.now - Math.max(exportedAt, Math.min(...healthy))
      if (healthy.length > 0) this.longestGapMs = Math.max(this.longestGapMs, gapMs)
      if (gapMs > ownedWithinMs && healthy.length > 0) {
        this.#once(`${name} since ${exportedAt}`, 'unowned', `${name} has had no owner since ${exportedAt}`)
      }
      if (hosts.length > 0) this.#exportedAt.set(name, time.now)
    }
  }

  /** Looks at a transaction that the server has just committed. */
  async committed({ host, fence }: Transaction): Promise<void> {
    const { server, report } = this.#parts
    const written = await server().query(takeAudit, fence?.tenant ?? null)
    const [owned] = written
    if (owned === undefined) return
    this.writes++
    const what = written.map(({ tenant, relations }) => `${relations} of tenant ${tenant}`).join('; ')
    if (fence === null) {
      report('stale_write', `${host.name} wrote ${what} without a fence`)
      return
    }
    if (owned['owner'] !== fence.owner || Number(owned['epoch']) !== fence.epoch) {
      const [own, present] = [fence, owned].map(({ owner, epoch }) => `${owner} with epoch ${epoch}`)
      report('stale_write', `${host.name} wrote ${what} as ${own}, but the owner is ${present}`)
    }
    const foreign = written.filter(({ tenant }) => fence.tenant !== 0 && Number(tenant) !== fence.tenant)
    if (foreign.length > 0) report('stale_write', `${host.name} wrote ${what} as the owner of tenant ${fence.tenant}`)
  }

  #once(key: string, kind: ReplicaViolationClass, what: string): void {
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#parts.report(kind, what)
  }
}

/** Since when a host runs, and reaches the database, as far as nothing happened to it. */
export function noteHealth(host: Host, time: VirtualTime, isStarted: boolean): void {
  host.healthySince = isStarted && host.runs && host.link === 'up' ? time.now : null
}
