import type { Settings } from '../../../src/config/settings.ts'
import { secondMs } from '../../../src/model/durations.ts'
import { reasonOf } from '../../../src/model/errors.ts'
import type { Log } from '../../../src/model/log.ts'
import type { Prng } from '../prng.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { DatabaseNetwork } from './connections.ts'
import { Host } from './host.ts'
import { noteHealth } from './ownership.ts'
import { ReplicaProcess } from './replica-process.ts'
import type { SimulatedTenant } from './simulated-tenant.ts'

/** What restarts a replica that ended does so after this time. */
const restartsAfterMs = 3 * secondMs

export interface FleetParts {
  readonly time: VirtualTime
  readonly prng: Prng
  readonly network: DatabaseNetwork
  readonly settings: Settings
  readonly tenants: readonly SimulatedTenant[]
  readonly log: Log
  readonly bug: (message: string) => void
}

/** The replicas of a life, and what starts them again. */
export class Fleet {
  readonly #parts: FleetParts
  readonly #hosts = new Set<Host>()
  readonly #processes = new Map<Host, ReplicaProcess>()
  readonly #stopping = new Set<Host>()
  #started = 0

  constructor(parts: FleetParts) {
    this.#parts = parts
  }

  /** Hosts that are not dead. */
  get hosts(): readonly Host[] {
    return [...this.#hosts]
  }

  /** Started processes, those that are ending included. */
  get processes(): IterableIterator<ReplicaProcess> {
    return this.#processes.values()
  }

  ownerOf(tenant: string): ReplicaProcess | undefined {
    return [...this.#processes.values()].find(({ host, stores }) => host.runs && stores.of(tenant) !== null)
  }

  start(link: Host['link'] = 'up'): void {
    const { time, network, settings, tenants, prng, log, bug } = this.#parts
    const host = new Host(`replica-${++this.#started}`, time)
    host.link = link
    this.#hosts.add(host)
    const starting = ReplicaProcess.start({ host, network, settings, tenants, prng, log })
    starting.then(
      (replica) => {
        this.#processes.set(host, replica)
        noteHealth(host, time, true)
        replica.broken.catch((error: unknown) => bug(`${host.name} ends: ${String(error)}`))
      },
      (error: unknown) => {
        if (reasonOf(error) !== 'store') bug(`${host.name} does not start: ${String(error)}`)
        this.kill(host, restartsAfterMs)
      },
    )
  }

  /** As SIGKILL; `atServer` false = as a power cut, of which the server is not told. */
  kill(host: Host, restartAfterMs: number, atServer = true): void {
    if (host.dead) return
    const { time, network } = this.#parts
    host.dead = true
    network.reset(host, atServer && host.link === 'up')
    this.#forget(host)
    time.at(time.now + restartAfterMs, () => this.start())
  }

  /** As SIGTERM, and a new process some time later. */
  stop(host: Host, restartAfterMs: number): void {
    const replica = this.#processes.get(host)
    if (replica === undefined || this.#stopping.has(host)) return
    const { bug } = this.#parts
    host.healthySince = null
    this.#stopping.add(host)
    void replica
      .stop()
      .catch((error: unknown) => bug(`${host.name} does not stop: ${String(error)}`))
      .then(() => this.kill(host, restartAfterMs))
  }

  /** As SIGHUP. */
  reload(host: Host): void {
    const { bug } = this.#parts
    this.#processes
      .get(host)
      ?.reload()
      .catch((error: unknown) => {
        if (!['aborted', 'store'].includes(reasonOf(error))) bug(`${host.name} does not reload: ${String(error)}`)
      })
  }

  freeze(host: Host): void {
    host.freeze()
    this.noteHealth(host)
  }

  thaw(host: Host): void {
    host.thaw()
    this.noteHealth(host)
  }

  cut(host: Host, link: 'hangs' | 'refuses'): void {
    this.#parts.network.cut(host, link)
    this.noteHealth(host)
  }

  heal(host: Host): void {
    this.#parts.network.heal(host)
    this.noteHealth(host)
  }

  noteHealth(host: Host): void {
    noteHealth(host, this.#parts.time, this.#processes.has(host) && !this.#stopping.has(host))
  }

  #forget(host: Host): void {
    this.#hosts.delete(host)
    this.#processes.delete(host)
    this.#stopping.delete(host)
  }
}
