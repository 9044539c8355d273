import { SandboxQueries } from '../../../src/checks/own/sandbox.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { Jobs } from '../../../src/daemon/jobs.ts'
import { Session } from '../../../src/daemon/session.ts'
import { storeWatch } from '../../../src/daemon/store-watch.ts'
import { secondMs } from '../../../src/model/durations.ts'
import type { Log } from '../../../src/model/log.ts'
import type { Io } from '../../../src/model/process/io.ts'
import type { Scheduler } from '../../../src/schedule/scheduler.ts'
import { lanes } from '../../../src/store/db/postgres/open.ts'
import { PostgresDb } from '../../../src/store/db/postgres/postgres-db.ts'
import { replicaOver } from '../../../src/store/db/postgres/postgres-mirror.ts'
import type { LeasedStores } from '../../../src/store/leased-stores.ts'
import type { Prng } from '../prng.ts'
import type { DatabaseNetwork } from './connections.ts'
import type { Host } from './host.ts'
import type { SimulatedTenant } from './simulated-tenant.ts'
import { virtualScheduler } from './virtual-scheduler.ts'

const graceMs = 2 * secondMs

export interface ReplicaParts {
  readonly host: Host
  readonly network: DatabaseNetwork
  readonly settings: Settings
  readonly tenants: readonly SimulatedTenant[]
  readonly prng: Prng
  readonly log: Log
}

/** The daemon of one replica without its web server, wired as in `src/daemon/daemon.ts`. */
export class ReplicaProcess {
  readonly host: Host
  readonly session: Session
  readonly stores: LeasedStores
  /** Rejects when the daemon would end. */
  readonly broken: Promise<never>
  readonly #scheduler: Scheduler
  readonly #jobs: Jobs

  private constructor(parts: ReplicaParts, io: Io) {
    const { host, network, settings, tenants, log } = parts
    const { clock, random } = io
    this.host = host
    const open = ({ connections, limits }: (typeof lanes)[keyof typeof lanes]) =>
      new PostgresDb(network.connectionsOf(host, connections, limits.silenceMs), { clock, random, limits })
    const dbs = { work: open(lanes.work), show: open(lanes.show), lease: open(lanes.lease) }
    const { mirror, stores } = replicaOver({ ...dbs, clock, random, log, alone: false }, new AsyncDisposableStack())
    this.stores = stores
    this.session = new Session({
      ...{ settings, io, log, mirror, stores, as: 'replica' },
      ownQueries: new SandboxQueries(),
      clientOf(options) {
        const tenant = tenants.find(({ name }) => name === options.name)
        if (tenant === undefined) throw new Error(`No tenant ${options.name}`)
        return tenant.clientOn(host)(options)
      },
    })
    const watch = storeWatch(mirror, clock, log)
    this.broken = watch.broken
    this.#scheduler = virtualScheduler(clock, random, log)
    const heart = { beatAt: 0 }
    this.#jobs = new Jobs(this.#scheduler, { session: this.session, io, log, heart, watch })
  }

  /** @throws what the daemon ends with. */
  static async start(parts: ReplicaParts): Promise<ReplicaProcess> {
    const { host, prng, settings } = parts
    const sink = { write: () => true }
    const io: Io = {
      ...{ stdout: sink, stderr: sink, env: {}, cwd: '/', clock: host.clock, random: () => prng.next() },
      ...{ stop: new AbortController().signal, onReload: () => {} },
    }
    const replica = new ReplicaProcess(parts, io)
    const { session } = replica
    await session.reconfigure(settings)
    replica.#jobs.arrange()
    replica.#jobs.follow()
    await replica.#jobs.runDue(session.tenants)
    return replica
  }

  /** As after SIGHUP, with the configuration of before. */
  async reload(): Promise<void> {
    const { opened } = await this.session.reconfigure(this.session.settings)
    await this.#jobs.takeUp(opened)
  }

  /** As after SIGTERM. */
  async stop(): Promise<void> {
    await this.#scheduler.dispose(graceMs)
    await this.session[Symbol.asyncDispose]()
  }

  /** Names of the tenants whose series it exports now. */
  exported(): readonly string[] {
    return this.session.settings.tenants.map(({ name }) => name).filter((name) => this.stores.of(name) !== null)
  }
}
