import BetterSqlite3 from 'better-sqlite3'
import type { Session } from '../../../src/daemon/session.ts'
import { timed } from '../../support/measure.ts'
import { walCommits } from '../../support/wal-commits.ts'
import type { Requests } from '../server.ts'
import { rhythmOf, succeeded } from './full-sync.ts'

const never = new AbortController().signal

/**
 * Runs every resource of the first tenant as the schedule does, and tells for each what a run takes: requests by the
 * server's own count, transactions by the commits in the write-ahead log. A first run, with the identity check of a
 * start in it, is not counted.
 */
export async function steady(session: Session, { times }: { times: number }, storePath: string) {
  const [tenant] = session.tenants
  if (tenant === undefined) throw new Error('There is no tenant to sync')
  const { engine, settings } = tenant
  const count = async (run: () => Promise<unknown>) => {
    emptyLog(storePath)
    await requestsSince(settings.baseUrl)
    const cost = await timed(async () => {
      for (let i = 0; i < times; i++) await run()
    })
    const requests = (await requestsSince(settings.baseUrl)) / times
    return { ms: cost.wallMs / times, cpuMs: cost.cpuMs / times, requests, commits: walCommits(storePath) / times }
  }

  for (const name of engine.resources) succeeded(await engine.run(name, rhythmOf(tenant, name), never))
  await session.evaluate()
  const facts: Record<string, number> = {}
  let wallMs = 0
  let cpuMs = 0
  for (const name of engine.resources) {
    const mode = rhythmOf(tenant, name)
    const alone = await count(async () => succeeded(await engine.run(name, mode, never)))
    const evaluated = await count(async () =>
      succeeded(await session.syncAndEvaluate(tenant, { resource: name, mode, signal: never })),
    )
    wallMs += alone.ms
    cpuMs += alone.cpuMs
    Object.assign(facts, {
      [`${name} ms`]: alone.ms,
      [`${name} requests`]: alone.requests,
      [`${name} commits`]: alone.commits,
      [`${name} ms with evaluation`]: evaluated.ms,
      [`${name} commits with evaluation`]: evaluated.commits,
    })
  }
  return { wallMs, cpuMs, facts }
}

/** From here on the write-ahead log holds what is written now and nothing else. */
function emptyLog(storePath: string): void {
  const beside = new BetterSqlite3(storePath)
  beside.pragma('wal_checkpoint(TRUNCATE)')
  beside.close()
}

async function requestsSince(baseUrl: string): Promise<number> {
  const { byPath } = (await (await fetch(`${baseUrl}/bench/requests`)).json()) as Requests
  return Object.values(byPath).reduce((sum, count) => sum + count, 0)
}
