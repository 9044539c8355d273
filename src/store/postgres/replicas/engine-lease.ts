import { hostname } from 'node:os'
import type { Clock, Random } from '../../../model/clock.ts'
import { secondMs } from '../../../model/durations.ts'
import { EngineRunning, FatalError } from '../../../model/errors.ts'
import type { PostgresDatabase } from '../database.ts'
import { noTenant, Replica } from './replica.ts'

const beatEveryMs = 2 * secondMs

/** Tries: a killed engine counts as dead after ten seconds, and then its successor may begin. */
const triesToTake = 13

export interface EngineLease extends AsyncDisposable {
  /** Writes nothing once another engine has taken over. */
  readonly database: PostgresDatabase
  /** @throws FatalError once another engine has taken over. */
  insist(): void
}

/**
 * Makes this process the only engine of the database, like the lock file for a file. Daemons that start meanwhile wait.
 *
 * @param id new at each start of the process.
 * @throws FatalError while another engine lives.
 */
export async function leaseForEngine(database: PostgresDatabase, clock: Clock, id: string): Promise<EngineLease> {
  const replica = new Replica(database, clock, id, true)
  for (let tries = 1; ; tries++) {
    await replica.beat()
    if (await replica.takeAll()) break
    if (tries === triesToTake) {
      await replica.leave()
      throw new EngineRunning(
        'Another tenantwatch engine (run, sync or migrate-store) is working on the database of store.url; stop it first',
      )
    }
    await clock.sleep(secondMs)
  }
  const ending = new AbortController()
  let isLost = false
  const beating = (async () => {
    while (!isLost) {
      await clock.sleep(beatEveryMs, ending.signal).catch(() => {})
      if (ending.signal.aborted) return
      // While the server is unreachable, no other engine can take over either; the next heartbeat decides.
      isLost = await replica.beat().then(
        () => !replica.epochs.has(noTenant),
        () => false,
      )
    }
  })()
  return {
    database: replica.fenced(noTenant),
    insist() {
      if (isLost) throw new FatalError('Another tenantwatch engine has taken over the database of store.url')
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await beating
      // Otherwise it counts as dead ten seconds later.
      await replica.leave().catch(() => {})
    },
  }
}

/** New at each start: the host name and 104 random bits. */
export function newEngineId(random: Random, host = hostname()): string {
  return `${host}/${[1, 2].map(() => Math.floor(random() * 2 ** 52).toString(36)).join('-')}`
}
