import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { minuteMs } from '../../src/model/time.ts'
import type { HoldRow } from '../../src/store/port.ts'
import { type TestEngine, type TestEngineOptions, testEngine } from './engine.ts'
import { seenChanges } from './events.ts'

const tableOf = (resource: ResourceName) => resource.replaceAll('-', '_')

/** Number of live records in the mirror. */
export function live(test: TestEngine, resource: ResourceName): number {
  const [row] = test.query(`select count(*) as n from ${tableOf(resource)} where removed_at is null`)
  return Number(row?.['n'])
}

/** Every row that can contain data of a tenant. */
export function everyRow(test: TestEngine): Record<string, unknown> {
  const others = { quarantine: 'key', full_sync_pages: 'page', accepted_removals: 'rid' }
  const orders = { ...Object.fromEntries(resourceNames.map((name) => [tableOf(name), 'rid'])), ...others }
  const rows = Object.entries(orders).map(([name, order]) => [
    name,
    test.query(`select * from ${name} order by ${order}`),
  ])
  return { ...Object.fromEntries(rows), changes: seenChanges(test.query) }
}

/** The holds as `resource reason count`. */
export async function heldBack(test: TestEngine): Promise<string[]> {
  return (await test.mirror.holds()).map(({ resource, reason, count }) => `${resource} ${reason} ${count}`)
}

/** The only hold there is. */
export async function theHold(test: TestEngine): Promise<HoldRow> {
  const holds = await test.mirror.holds()
  const [hold] = holds
  if (hold === undefined || holds.length > 1) throw new Error(`There are ${holds.length} holds, not one`)
  return hold
}

/** Stores the same decision as `tenantwatch accept HOLD`. */
export async function accept(test: TestEngine, hold: HoldRow): Promise<void> {
  await test.mirror.decide({ holdId: hold.id, reason: 'Checked with the owner', at: test.clock.now() })
}

/** How a run ended, in a word. */
export function ending({ outcome, reason }: RunResult): string {
  return reason ?? outcome
}

/** Paths with their queries that were asked for since the log was cleared. */
export function asked(test: TestEngine): string[] {
  return test.sim.requests.all().map(({ path, query }) => {
    const words = Object.keys(query)
    return `${path.replace('/api/public/', '')}${words.length === 0 ? '' : `?${words.join('&')}`}`
  })
}

/** A selection of the first so many records. */
export function first(count: number): () => boolean {
  let rank = 0
  return () => rank++ < count
}

/** An engine whose mirror is complete, six minutes later, with the log of requests cleared. */
export async function synced(options: TestEngineOptions = {}): Promise<TestEngine> {
  const test = await testEngine({
    settings: { userDetails: { perRun: 0 } },
    sizes: { users: 60, documents: 60 },
    ...options,
  })
  for (const result of await test.runAll('full'))
    if (result.outcome !== 'success') throw new Error(`The first sync failed: ${result.reason}`)
  test.clock.advance(6 * minuteMs)
  test.sim.requests.clear()
  return test
}
