import { checks } from '../../../../src/checks/index.ts'
import type { Settings, Waiver } from '../../../../src/config/settings.ts'
import { configurationRecord } from '../../../../src/evaluate/configuration-record.ts'
import { evaluateTenant } from '../../../../src/evaluate/evaluate-tenant.ts'
import { readFindings } from '../../../../src/evaluate/findings/read-findings.ts'
import { readPosture } from '../../../../src/evaluate/read-posture.ts'
import { minuteMs } from '../../../../src/model/durations.ts'
import type { FindingView } from '../../../../src/model/finding.ts'
import { silentLog } from '../../../../src/model/log.ts'
import { type TestEngine, testEngine } from '../../../support/engine.ts'

export type Row = Record<string, unknown>

export interface SqlWorld {
  readonly test: TestEngine
  readonly sql: (text: string, ...values: unknown[]) => Row[]
  /** In force after `configure`. */
  waivers: Waiver[]
  configure(changes?: Partial<Pick<Settings, 'tenants'>>): Promise<void>
  evaluate(): Promise<void>
  posture: () => ReturnType<typeof readPosture>
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
  let named = 0
  const world: SqlWorld = {
    test,
    sql: test.query,
    waivers: [],
    async configure({ tenants = [test.settings] } = {}) {
      const rest = { evaluate: { expression: '* * * * *', intervalMs: minuteMs }, historyRetentionDays: 400 }
      const settings = { ...rest, tenants, waivers: world.waivers } as unknown as Settings
      const record = await configurationRecord(settings, { checks, version: '0', at: Date.now() })
      await store.noteConfiguration({ ...record, digest: `${++named}` })
    },
    async evaluate() {
      await evaluateTenant({ store, tenant, checks, now: Date.now(), log: silentLog(), waivers: world.waivers })
    },
    posture: () =>
      readPosture({ store, tenant, checks, waivers: world.waivers, now: Date.now(), evaluateIntervalMs: minuteMs }),
    findings: () =>
      Array.fromAsync(
        readFindings({ store, waivers: world.waivers, now: Date.now(), states: ['open', 'waived', 'resolved'] }),
      ),
  }
  // As of the role of docs/sql.md.
  test.query('set jit = off')
  await test.runAll('full')
  await world.evaluate()
  await world.configure()
  return world
}
