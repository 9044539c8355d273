import { existsSync, readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { checks } from '../../../src/checks/index.ts'
import type { TenantSettings } from '../../../src/config/settings.ts'
import { inputsOf } from '../../../src/evaluate/check.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import { readPosture } from '../../../src/evaluate/read-posture.ts'
import type { CheckStatus } from '../../../src/model/check-status.ts'
import { maxTimerMs } from '../../../src/model/clock.ts'
import { dayMs, minuteMs } from '../../../src/model/durations.ts'
import { silentLog } from '../../../src/model/log.ts'
import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import type { RunResult } from '../../../src/sync/observer.ts'
import { bothSides, type TestEngine, type TestEngineOptions, testEngine } from '../../support/engine.ts'
import type { EngineSettings } from '../../support/engine-settings.ts'
import { timerOverflows } from '../../support/timer-overflows.ts'
import { type FaultServer, type FaultServerOptions, faultServer } from './fault-server.ts'
import { bodyCanaryIn } from './wire.ts'

export interface SceneOptions extends Pick<TestEngineOptions, 'clock' | 'sizes' | 'readings' | 'token' | 'problems'> {
  readonly settings?: EngineSettings
  readonly server?: FaultServerOptions
}

/** The whole program below the command line, between a mirror and a server that can misbehave. */
export interface Scene {
  readonly test: TestEngine
  readonly server: FaultServer
  /** A second listener; nothing must ever reach it. */
  readonly other: FaultServer
  /** Runs every resource's full sync and evaluates. */
  cycle(): Promise<readonly RunResult[]>
  evaluator(): Promise<void>
  /** Stored status of each check. */
  stored(): Promise<Record<string, CheckStatus>>
  /** Status of each check as it would be shown now. */
  shown(): Promise<Record<string, CheckStatus>>
  /** Open findings as `check entity`. */
  findings(): Promise<readonly string[]>
  /** Every row that holds a fact of the tenant. */
  facts(): unknown
  /** Invariants after any fault. */
  assertManners(): void
}

const factTables = [
  'users',
  'documents',
  'api_clients',
  'roles',
  'permissions',
  'authentication_settings',
  'quarantine',
  'accepted_removals',
]

const pages = { users: 15, documents: 15, apiClients: 15 }

/** Starts server, mirror and engine over a sound tenant with one finding per resource, unless `problems` is set. */
export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const { settings = {}, server: serverOptions, readings, problems = false, ...rest } = options
  const [server, other] = await Promise.all([faultServer(serverOptions), faultServer()])
  const overflows = timerOverflows()
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  })
  const test = await testEngine({
    problems,
    sizes: { users: 20, documents: 20, apiClients: 15 },
    readings: { defaultPageSize: pages, ...readings },
    ...rest,
    settings: {
      baseUrl: server.url,
      ...settings,
      userDetails: { perRun: 0, ...settings.userDetails },
      api: { timeoutMs: 10_000, ...settings.api },
    },
  })
  server.upstream = test.sim.baseUrl
  const tenant = () => ({ id: test.engine.tenantId, settings: { ...test.settings, checks: configured } })
  const scene: Scene = {
    test,
    server,
    other,
    async cycle() {
      const results = await test.runAll('full')
      await scene.evaluator()
      return results
    },
    async evaluator() {
      const now = test.clock.now()
      await evaluateTenant({ store: test.mirror, tenant: tenant(), checks, now, log: silentLog() })
    },
    async stored() {
      const states = await test.mirror.checkStates(test.engine.tenantId)
      return Object.fromEntries(states.map(({ check, status }) => [check, status]))
    },
    async shown() {
      const now = test.clock.now()
      const request = { store: test.mirror, tenant: tenant(), checks, waivers: [], now, evaluateIntervalMs: minuteMs }
      const { checks: views } = await readPosture(request)
      return Object.fromEntries(views.map(({ check, status }) => [check, status]))
    },
    async findings() {
      const found: string[] = []
      for await (const batch of test.mirror.findings({})) {
        for (const { check, entityId } of batch) found.push(`${check} ${entityId}`)
      }
      return found
    },
    facts: () => Object.fromEntries(factTables.map((table) => [table, test.query(`select * from ${table}`)])),
    assertManners() {
      const token = test.sim.tokens[options.token ?? 'reader']
      expect(other.connections, 'connections to another origin').toBe(0)
      expect([...new Set(server.requests.map(({ method }) => method))], 'methods').toEqual(['GET'])
      expect(test.sim.violations).toEqual([])
      expect([...overflows, ...test.clock.sleeps.filter((ms) => !(ms >= 0 && ms <= maxTimerMs))], 'timers').toEqual([])
      const kept = ['', '-wal'].map((suffix) => test.path + suffix).filter((path) => existsSync(path))
      const observed = [
        ...kept.map((path) => readFileSync(path, 'latin1')),
        inspect([test.observed.logged, test.observed.runs], {
          depth: null,
          maxArrayLength: null,
          maxStringLength: null,
        }),
      ]
      const leaks = observed.flatMap((text) =>
        text.includes(token) ? ['the token'] : (bodyCanaryIn.exec(text)?.[0] ?? []),
      )
      expect(leaks, 'token and body text in stored and logged data').toEqual([])
      const byTime = server.requests.filter(
        ({ path, query }) => resourceAt(path) === 'users' && query.has('updatedAfter'),
      )
      expect(byTime, 'requests for users by time, whose meaning nobody stated').toEqual([])
    },
  }
  return scene
}

/** The mirror holds what the tenant holds; of users without the role id, which only detail reads bring. */
export async function assertMirrored({ test }: Scene): Promise<void> {
  const { mirrored, truth } = await bothSides(test)
  const bare = (users: unknown) => (users as readonly object[]).map((user) => ({ ...user, roleId: null }))
  expect({ ...mirrored, users: bare(mirrored.users) }).toEqual({ ...truth, users: bare(truth.users) })
}

/** Checks that hang on a resource. */
/** Of the checks that evaluate nothing without it. */
const configured: TenantSettings['checks'] = {
  'document-required-present': {
    enabled: true,
    severity: null,
    options: { requirements: [{ id: 'any', pattern: '*' }] },
  },
  'user-least-privilege': { enabled: true, severity: null, options: { allowed: ['Api_Users_Read'] } },
}

export function checksOf(resource: ResourceName): readonly string[] {
  return checks.filter((check) => inputsOf(check).includes(resource)).map(({ id }) => id)
}

/** One thing wrong in each resource, so that there is a finding to keep. */
export function spoil({ test }: Scene): Repair {
  const { primary } = test.sim
  primary.setSettings({ mfaEnabled: true, ssoEnabled: true, ssoEnforced: false })
  const { userId } = primary.addUser({ mfaStatus: false, firstName: 'Unenrolled' })
  const { fileId } = primary.addDocument({ filename: 'same.pdf', uploadStatus: 'Completed' })
  primary.addDocument({ filename: 'same.pdf', uploadStatus: 'Completed' })
  const role = primary.addRole({ name: 'Retired', state: 'Inactive', permissions: [] })
  primary.addApiClient({ name: 'Old', roleName: 'Retired' })
  const secretExpirationDate = new Date(test.clock.now() - 5 * dayMs).toISOString()
  const { clientId } = primary.addApiClient({ name: 'Expired', secretExpirationDate })
  return {
    userId,
    fileId,
    clientId,
    roleId: role.roleId,
  }
}

export interface Repair {
  readonly userId: number
  readonly fileId: string
  readonly clientId: string
  readonly roleId: number
}

/** Repairs what `spoil` did and changes more: whatever of it reaches the mirror through a fault would show. */
export function changeUpstream({ test }: Scene, spoilt: Repair): void {
  const { primary } = test.sim
  test.clock.advance(minuteMs)
  primary.setSettings({ ssoEnforced: true })
  primary.updateUser(spoilt.userId, { mfaStatus: true })
  primary.addUser({ firstName: 'New' })
  primary.updateDocument(spoilt.fileId, { filename: 'other.pdf' })
  primary.addDocument({ filename: 'new.pdf', uploadStatus: 'Completed' })
  const later = new Date(test.clock.now() + 200 * dayMs).toISOString()
  primary.updateApiClient(spoilt.clientId, { secretExpirationDate: later })
  primary.addApiClient({ name: 'New' })
  primary.updateRole(spoilt.roleId, { state: 'Active' })
  primary.addRole({ name: 'New', permissions: [] })
  primary.addPermission({ code: 'New_Thing_Read' })
}

/** The resource whose list a path asks for. */
export function resourceAt(path: string): ResourceName | undefined {
  return resourceNames.find((name) => path === `/api/public/${name}`)
}
