import type { Clock } from '../../../model/clock.ts'
import { secondMs } from '../../../model/durations.ts'
import type { Log } from '../../../model/log.ts'
import type { PostgresDatabase } from '../database.ts'
import { OtherServerError, type PresentServer } from '../present-server.ts'
import { settleCounts } from '../settle-counts.ts'
import { isOfSilence } from '../store-error.ts'
import type { Replica } from './replica.ts'

/** After this time without a connection for its work, a replica gives up its tenants. */
const starvesMs = 30 * secondMs

export interface HeartbeatOptions {
  /** For heartbeats only, so that they do not wait for runs. */
  readonly heartbeats: PostgresDatabase
  /** For everything else. */
  readonly database: PostgresDatabase
  /** Server that `database` must reach; absent = any. */
  readonly server?: PresentServer
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

/** Sends the heartbeats of a replica, and checks server and connections. */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #replica: Replica
  #workedAt: number

  constructor(options: HeartbeatOptions, replica: Replica) {
    this.#options = options
    this.#replica = replica
    this.#workedAt = options.clock.monotonic()
  }

  /** @throws SyncError `store` if no heartbeat was stored; without one, this replica owns nothing. */
  async beat(digest: string): Promise<void> {
    const { heartbeats, database, server, clock } = this.#options
    if (clock.monotonic() - this.#workedAt > starvesMs) await this.probe()
    // Open connections may lead to the former server.
    if (server?.takeDoubt() === true) heartbeats.distrustConnections()
    try {
      if (this.#replica.isCountDoubted) await this.#settleCounts()
      await this.#replica.beat(digest)
    } catch (error) {
      // Statements that wait for an answer would wait for the longest time limit, even if the server returns.
      if (isOfSilence(error) && !this.#replica.isConfirmed) database.breakConnections()
      // A standby that is not promoted yet stores no heartbeats, but its data can be shown.
      if (!this.#replica.isConfirmed) this.#follow(this.#replica.reachedStart)
      throw error
    }
    this.#follow(this.#replica.serverStart)
  }

  #follow(start: number | null): void {
    const { database, server } = this.#options
    if (start !== null && server?.follow(String(start)) === true) database.distrustConnections()
  }

  /** Checks that the work can get a connection. @throws SyncError `store` when it cannot. */
  async probe(): Promise<void> {
    const { database, clock } = this.#options
    try {
      await database.read(() => database.prepare('select 1').get())
    } catch (error) {
      // A different server is no failure: the next heartbeat follows it.
      if (!(error instanceof OtherServerError)) throw error
    }
    this.#workedAt = clock.monotonic()
  }

  async #settleCounts(): Promise<void> {
    await this.#replica.insistOnTriggers()
    await settleCounts(this.#options.database, this.#options.log)
    this.#replica.countsSettled()
  }
}
