import { secondMs } from '../../../src/model/durations.ts'
import type { Prng } from '../prng.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { DatabaseNetwork } from './connections.ts'
import type { DatabaseServer } from './database-server.ts'
import type { Fleet } from './fleet.ts'
import type { Host } from './host.ts'

export const troubles = ['freeze', 'hang', 'kill', 'power-cut', 'refuse', 'reload', 'server-restart', 'stop'] as const
export type TroubleName = (typeof troubles)[number]

/** In seconds: around the limits of five, six and ten, and far beyond. */
const durations = [1, 3, 4.9, 5.5, 5.9, 6.1, 7, 9, 9.9, 10.1, 11, 12, 13, 20, 40] as const

export interface TroubleParts {
  readonly time: VirtualTime
  readonly prng: Prng
  readonly fleet: Fleet
  readonly network: DatabaseNetwork
  readonly server: DatabaseServer
  /** The only one there is; null for all. */
  readonly only: TroubleName | null
}

/** What befalls replicas and their database, at instants and statements that the seed chooses. */
export class Trouble {
  readonly counts = new Map<string, number>()
  readonly #parts: TroubleParts
  #isOver = false
  #restarts = 0

  constructor(parts: TroubleParts) {
    this.#parts = parts
  }

  /** Lets trouble come within the next `ms`. */
  forecast(ms: number): void {
    const { time, prng } = this.#parts
    const count = prng.pick([0, 1, 1, 2, 3])
    for (let i = 0; i < count; i++) time.at(time.now + prng.between(0, ms), () => this.#befall())
  }

  /** Everything is well from now on. */
  end(): void {
    const { fleet } = this.#parts
    this.#isOver = true
    for (const host of fleet.hosts) {
      if (host.frozen) fleet.thaw(host)
      if (host.link !== 'up') fleet.heal(host)
    }
  }

  #befall(): void {
    const { prng, fleet, only } = this.#parts
    const trouble = only ?? prng.pick(troubles)
    const hosts = fleet.hosts.filter((host) => host.runs && host.link === 'up')
    if (this.#isOver || hosts.length === 0) return
    const host = prng.pick(hosts)
    const act = () => {
      if (this.#isOver || !host.runs) return
      this.#act(trouble, host)
      this.counts.set(trouble, (this.counts.get(trouble) ?? 0) + 1)
    }
    // Half of them between a statement and the next, or while one is on its way.
    if (trouble === 'server-restart' || prng.chance(0.5)) act()
    else host.lightFuse(prng.between(0, 40), prng.pick(['before', 'sent']), act)
  }

  #act(trouble: TroubleName, host: Host): void {
    const { prng, time, fleet } = this.#parts
    const ms = Math.round(prng.pick(durations) * secondMs) + prng.between(0, 300)
    const later = (act: () => void) =>
      time.at(time.now + ms, () => {
        if (!host.dead && !this.#isOver) act()
      })
    const isolate = (link: 'hangs' | 'refuses') => {
      fleet.cut(host, link)
      later(() => fleet.heal(host))
    }
    const acts: Readonly<Record<TroubleName, () => void>> = {
      freeze() {
        fleet.freeze(host)
        later(() => fleet.thaw(host))
      },
      hang: () => isolate('hangs'),
      kill: () => fleet.kill(host, ms),
      'power-cut': () => fleet.kill(host, ms, false),
      refuse: () => isolate('refuses'),
      reload: () => fleet.reload(host),
      'server-restart': () => this.#restartServer(prng.pick([0, 0, 1, 3]) * secondMs),
      stop: () => fleet.stop(host, ms),
    }
    acts[trouble]()
  }

  #restartServer(downMs: number): void {
    const { time, fleet, network, server } = this.#parts
    const cut = fleet.hosts.filter(({ link }) => link === 'up')
    for (const host of cut) fleet.cut(host, 'refuses')
    network.resetAll()
    void server.restarted(++this.#restarts)
    time.at(time.now + downMs, () => {
      for (const host of cut) if (!host.dead) fleet.heal(host)
    })
  }
}
