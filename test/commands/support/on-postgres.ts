import { setTimeout } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { Io } from '../../../src/model/process/io.ts'
import { type TestPostgres, testPostgres } from '../../support/postgres.ts'
import type { Cli } from './cli.ts'

/** Runs the program on the database, with parts of another world. */
export function onPostgresOf(world: Cli, { url }: TestPostgres): Cli['runWith'] {
  const begun = performance.now()
  // Waits take their time, because connections are watched by them.
  const clock: Io['clock'] = {
    now: world.now,
    monotonic: () => performance.now() - begun,
    async sleep(ms, signal) {
      await setTimeout(Math.min(ms, 2 ** 31 - 1), null, { ref: false, ...(signal && { signal }) })
    },
  }
  let runs = 0
  return (io, ...args) => {
    const env = { ...world.env, TENANTWATCH_STORE_URL: url ?? '' }
    // Each run is another replica.
    const random = () => (0.1 + 0.01 * ++runs) % 1
    return world.runWith({ env, clock, random, ...io }, ...args)
  }
}

/** The same world with its mirror in a database of the server of `TEST_POSTGRES_URL`. */
export function movedToPostgres(world: Cli): Cli {
  const postgres = testPostgres('empty')
  onTestFinished(() => postgres.drop())
  const runThere = onPostgresOf(world, postgres)
  return { ...world, run: (...args) => runThere({}, ...args), runWith: runThere }
}
