import type { Clock } from '../../../model/clock.ts'
import { secondMs } from '../../../model/durations.ts'
import type { Log } from '../../../model/log.ts'
import type { PostgresDatabase } from '../database.ts'
import { OtherServerError, type PresentServer } from '../present-server.ts'
import { settleCounts } from '../settle-counts.ts'
import { isOfSilence } from '../store-error.ts'
import type { Replica } from './replica.ts'

/** Without a connection for its work for so long, a replica lets others have its tenants. */
const starvesMs = 30 * secondMs

export interface HeartbeatOptions {
  /** For heartbeats only: they wait for no run. */
  readonly heartbeats: PostgresDatabase
  /** For everything else. */
  readonly database: PostgresDatabase
  /** That of `database`; absent = any server will do. */
  readonly server?: PresentServer
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

/** The heartbeats of a replica, and what must be true of server and connections when one is sent. */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #replica: Replica
  #workedAt: number

  constructor(options: HeartbeatOptions, replica: Replica) {
    this.#options = options
    this.#replica = replica
    this.#workedAt = options.clock.monotonic()
  }

  /** @throws SyncError `store`, and no heartbeat is stored: without one, this replica owns nothing. */
  async beat(digest: string): Promise<void> {
    const { heartbeats, database, server, clock } = this.#options
    if (clock.monotonic() - this.#workedAt > starvesMs) await this.probe()
    // Those that are open may lead to the former server.
    if (server?.takeDoubt() === true) heartbeats.distrustConnections()
    try {
      if (this.#replica.isCountDoubted) await this.#settleCounts()
      await this.#replica.beat(digest)
    } catch (error) {
      // Whatever waits for an answer would do so until the longest statement is over, also once the server is back.
      if (isOfSilence(error) && !this.#replica.isConfirmed) database.breakConnections()
      // A standby that is not promoted yet stores no heartbeat, but shows what it has.
      if (!this.#replica.isConfirmed) this.#follow(this.#replica.reachedStart)
      throw error
    }
    this.#follow(this.#replica.serverStart)
  }

  #follow(start: number | null): void {
    const { database, server } = this.#options
    if (start !== null && server?.follow(String(start)) === true) database.distrustConnections()
  }

  /** @throws SyncError `store` when there is no connection for the work. */
  async probe(): Promise<void> {
    const { database, clock } = this.#options
    try {
      await database.read(() => database.prepare('select 1').get())
    } catch (error) {
      // The heartbeats are to follow it.
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
