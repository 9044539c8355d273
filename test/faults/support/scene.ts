import { expect } from 'vitest'
import { checks } from '../../../src/checks/index.ts'
import type { TenantSettings } from '../../../src/config/settings.ts'
import { inputsOf } from '../../../src/evaluate/check.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import { readPosture } from '../../../src/evaluate/read-posture.ts'
import type { CheckStatus } from '../../../src/model/check-status.ts'
import { dayMs, minuteMs } from '../../../src/model/durations.ts'
import { silentLog } from '../../../src/model/log.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import type { RunResult } from '../../../src/sync/observer.ts'
import { bothSides, type TestEngine, type TestEngineOptions, testEngine } from '../../support/engine.ts'
import type { EngineSettings } from '../../support/engine-settings.ts'

export interface SceneOptions extends Pick<TestEngineOptions, 'clock'> {
  readonly settings?: EngineSettings
}

/** The whole program below the command line, between a mirror and a tenant that can misbehave. */
export interface Scene {
  readonly test: TestEngine
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

/** Starts tenant, mirror and engine: a sound tenant with one finding per resource after `spoil`. */
export async function startScene({ settings = {}, clock }: SceneOptions = {}): Promise<Scene> {
  const test = await testEngine({
    problems: false,
    sizes: { users: 20, documents: 20, apiClients: 15 },
    readings: { defaultPageSize: pages },
    ...(clock && { clock }),
    settings: { userDetails: { perRun: 0 }, ...settings },
  })
  const tenant = () => ({ id: test.engine.tenantId, settings: { ...test.settings, checks: configured } })
  const scene: Scene = {
    test,
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
      expect(test.sim.requests.nonGet()).toEqual([])
      expect(test.sim.violations).toEqual([])
      const byTime = test.sim.requests.filter(
        ({ endpoint, query }) => endpoint === '/api/public/users' && 'updatedAfter' in query,
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

/** Of the checks that evaluate nothing without it. */
const configured: TenantSettings['checks'] = {
  'document-required-present': {
    enabled: true,
    severity: null,
    options: { requirements: [{ id: 'any', pattern: '*' }] },
  },
  'user-least-privilege': { enabled: true, severity: null, options: { allowed: ['Api_Users_Read'] } },
}

/** Checks that hang on a resource. */
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

interface Repair {
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
