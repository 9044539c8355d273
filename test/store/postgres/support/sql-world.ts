import { checks } from '../../../../src/checks/index.ts'
import { evaluateTenant } from '../../../../src/evaluate/evaluate-tenant.ts'
import { readFindings } from '../../../../src/evaluate/findings/read-findings.ts'
import type { FindingView } from '../../../../src/model/finding.ts'
import { silentLog } from '../../../../src/model/log.ts'
import { type TestEngine, testEngine } from '../../../support/engine.ts'

export type Row = Record<string, unknown>

export interface SqlWorld {
  readonly test: TestEngine
  readonly sql: (text: string, ...values: unknown[]) => Row[]
  findings(): Promise<FindingView[]>
}

/** A tenant with problems, fully synced at the present time: the views compare with the clock of the database. */
export async function sqlWorld(): Promise<SqlWorld> {
  const test = await testEngine({
    clock: Date.now,
    sizes: { users: 20, documents: 12 },
    settings: { userDetails: { perRun: 0 } },
  })
  test.clock.advance(Date.now() - test.clock.now())
  const store = test.mirror
  const tenant = { id: test.engine.tenantId, settings: test.settings }
  const world: SqlWorld = {
    test,
    sql: test.query,
    findings: () =>
      Array.fromAsync(readFindings({ store, waivers: [], now: Date.now(), states: ['open', 'waived', 'resolved'] })),
  }
  // As of the role of docs/sql.md.
  test.query('set jit = off')
  await test.runAll('full')
  await Array.fromAsync(evaluateTenant({ store, tenant, checks, now: Date.now(), log: silentLog(), waivers: [] }))
  return world
}
