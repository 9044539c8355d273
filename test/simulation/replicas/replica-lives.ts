import './compress-in-turn.ts'
import { dropDatabase, makeTemplate } from './database-server.ts'
import { type ReplicaLifeOptions, type ReplicaReport, simulateReplicas } from './simulate-replicas.ts'

export type LivesOptions = Pick<ReplicaLifeOptions, 'only' | 'steps' | 'tenants' | 'url'>

/** Runs the lives of many seeds one after the other, each on a database that is removed at its end. */
export async function* liveAsReplicas(seeds: Iterable<number>, options: LivesOptions): AsyncGenerator<ReplicaReport> {
  const template = `lives_${process.pid}`
  await makeTemplate(options.url, template)
  try {
    for (const seed of seeds) yield await simulateReplicas({ ...options, seed, template })
  } finally {
    await dropDatabase(options.url, template)
  }
}
