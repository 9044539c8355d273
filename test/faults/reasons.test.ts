import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { fullFreshnessLimitMs } from '../../src/model/freshness.ts'
import type { Reason } from '../../src/model/reasons.ts'
import { type ResourceName, resourceNames, type SyncMode } from '../../src/model/resource-names.ts'
import { resources } from '../../src/resources/index.ts'
import type { Fault, FaultEffect } from '../../src/simulator/faults.ts'
import type { EngineSettings } from '../support/engine-settings.ts'
import { assertMirrored, changeUpstream, checksOf, type Scene, spoil, startScene } from './support/scene.ts'

// Which answer gives which reason is the table of test/api/faults.test.ts; here each reason goes through the engine.

interface FaultCase {
  readonly reason: Reason
  readonly on: ResourceName
  readonly effect: FaultEffect
  /** Which requests it meets; default those of the list. */
  readonly of?: Partial<Fault>
  readonly modes?: readonly SyncMode[]
  /** Requests of one faulty run at most; default 5. */
  readonly requests?: number
  /** The required status of every check on the resource at once, not only after the freshness limit. */
  readonly atOnce?: 'unknown' | 'no-pass'
  readonly settings?: EngineSettings
}

const status = (code: number, retryAfter?: string): FaultEffect => ({
  kind: 'status',
  status: code,
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
})
const body = (text: string): FaultEffect => ({ kind: 'body', body: text })
const everything = { path: '*' }
const full = ['full'] as const

const faults: readonly FaultCase[] = [
  { reason: 'client_error', on: 'roles', effect: status(404), requests: 1 },
  { reason: 'invalid_cursor', on: 'documents', effect: status(400), of: { hasCursor: true }, modes: full },
  { reason: 'unauthorized', on: 'documents', effect: status(401), of: everything, atOnce: 'unknown' },
  { reason: 'missing_permission', on: 'authentication-settings', effect: status(401), atOnce: 'unknown' },
  { reason: 'missing_permission', on: 'users', effect: status(401), of: { page: 2 }, modes: full, atOnce: 'unknown' },
  { reason: 'missing_permission', on: 'roles', effect: status(403), atOnce: 'unknown', requests: 2 },
  { reason: 'server_error', on: 'roles', effect: status(500) },
  { reason: 'rate_limited', on: 'api-clients', effect: status(429) },
  { reason: 'rate_limited', on: 'users', effect: status(500, '99999999999'), requests: 1 },
  { reason: 'timeout', on: 'users', effect: { kind: 'hang' }, modes: full, settings: { api: { timeoutMs: 300 } } },
  { reason: 'network', on: 'documents', effect: { kind: 'reset', when: 'before' } },
  { reason: 'network', on: 'users', effect: { kind: 'reset', when: 'mid' }, of: { page: 2 }, modes: full, requests: 6 },
  {
    reason: 'redirect',
    on: 'users',
    effect: { kind: 'status', status: 302, headers: { location: '/x' } },
    requests: 1,
  },
  {
    reason: 'too_large',
    on: 'users',
    effect: body(' '.repeat(2 ** 20 + 1)),
    requests: 1,
    settings: { api: { maxBodyBytes: 2 ** 20 } },
  },
  { reason: 'protocol', on: 'documents', effect: body('{"data": [}'), requests: 1 },
  { reason: 'protocol', on: 'permissions', effect: { kind: 'set', path: 'data', value: null }, requests: 1 },
  { reason: 'suspect_empty', on: 'api-clients', effect: { kind: 'empty' }, atOnce: 'no-pass' },
  {
    reason: 'suspect_empty',
    on: 'roles',
    effect: { kind: 'set', path: 'data', value: [] },
    requests: 1,
    atOnce: 'no-pass',
  },
]

it.each(faults.map((row) => [`${row.reason} of ${row.on}`, row] as const))(
  '%s: nothing of the run is kept, no pass outlives its data, and it recovers by itself',
  async (_, row) => {
    const { on: resource, reason, settings = {} } = row
    const scene = await startScene({ settings })
    const { test } = scene
    const spoilt = spoil(scene)
    await assertSound(scene)
    const [findings, facts] = [await scene.findings(), scene.facts()]
    const cursor = await cursorOf(scene, resource)
    changeUpstream(scene, spoilt)

    test.sim.faults.add({ path: `/api/public/${resource}`, ...row.of, effect: row.effect })
    const isFeed = resource === 'users' || resource === 'documents'
    for (const mode of row.modes ?? (isFeed ? (['incremental', 'full'] as const) : full)) {
      const before = test.sim.requests.count()
      const result = await test.run(resource, mode)
      expect([result.outcome, result.reason, result.mode], result.message ?? '').toEqual(['failure', reason, mode])
      expect(test.sim.requests.count() - before, 'requests').toBeLessThanOrEqual(row.requests ?? 5)
      const [last] = test.query('select outcome, reason, mode from runs order by id desc limit 1')
      expect(last).toEqual({ outcome: 'failure', reason, mode })
    }
    expect(scene.facts(), 'records of the mirror').toEqual(facts)
    expect(await cursorOf(scene, resource), 'stored cursor').toBe(cursor)
    await scene.evaluator()
    await assertKept(scene, findings, resource, row.atOnce ?? null)

    test.clock.advance(limitOf(scene, resource) + minuteMs)
    for (const name of resourceNames) if (name !== resource) await test.run(name, 'full')
    await test.run(resource, 'full')
    await scene.evaluator()
    await assertKept(scene, findings, resource, 'unknown')

    test.sim.faults.clear()
    await assertRecovery(scene, findings)
    scene.assertManners()
  },
)

/** The starting point: each resource has a check that passes and, where one exists, a finding. */
async function assertSound(scene: Scene): Promise<void> {
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  await assertMirrored(scene)
  const statuses = await scene.stored()
  for (const resource of resourceNames) {
    const words = checksOf(resource).map((check) => statuses[check])
    if (resource !== 'permissions') expect(words).toEqual(expect.arrayContaining(['pass', 'fail']))
  }
}

async function assertKept(
  scene: Scene,
  findings: readonly string[],
  resource: ResourceName,
  wanted: 'unknown' | 'no-pass' | null,
): Promise<void> {
  const own = findings.filter((finding) => checksOf(resource).some((check) => finding.startsWith(`${check} `)))
  expect(await scene.findings(), 'open findings').toEqual(expect.arrayContaining(own))
  const [stored, shown] = [await scene.stored(), await scene.shown()]
  for (const check of wanted === null ? [] : checksOf(resource)) {
    const words = [stored[check], shown[check]]
    if (wanted === 'unknown') expect([check, ...words]).toEqual([check, 'unknown', 'unknown'])
    else expect([check, ...words]).not.toContain('pass')
  }
}

/** Two cycles at most until all is well. */
async function assertRecovery(scene: Scene, findings: readonly string[]): Promise<void> {
  const { test } = scene
  const { blockedUntil } = await test.mirror.tenant(test.engine.tenantId)
  test.clock.advance(Math.max(5 * minuteMs, blockedUntil - test.clock.now()))
  await scene.cycle()
  test.clock.advance(5 * minuteMs)
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  await assertMirrored(scene)
  expect(Object.values(await scene.stored())).not.toContain('unknown')
  const left = await scene.findings()
  const gone = findings.filter((one) => !left.includes(one)).map((one) => one.split(' ')[0])
  expect(gone.sort()).toEqual([
    'api-client-role-active',
    'api-client-secret-not-expired',
    'auth-sso-enforced',
    'document-name-unique',
    'user-mfa-enrolled',
  ])
  expect(await test.mirror.holds()).toEqual([])
}

function limitOf({ test }: Scene, resource: ResourceName): number {
  const { freshnessMs, full: rhythm } = test.settings.resources[resource]
  return fullFreshnessLimitMs({ explicitMs: freshnessMs, intervalMs: rhythm.intervalMs, durationMs: null })
}

async function cursorOf({ test }: Scene, resource: ResourceName): Promise<string | null> {
  return (await test.mirror.syncState(test.engine.tenantId, resource)).cursor
}

it.each([
  ['nothing', []],
  ['no record', ['Api_Users_Read', 'Api_ApiClients_Read', 'Api_Documents_Read']],
] as const)('the sound policy of another tenant, whose token lacks %s, turns no check green', async (_, lacking) => {
  const scene = await startScene()
  const { test } = scene
  test.sim.primary.setSettings({ mfaEnabled: false, ssoEnabled: true, ssoEnforced: false })
  test.sim.second.setSettings({ mfaEnabled: true, ssoEnabled: true, ssoEnforced: true })
  for (const code of lacking) test.sim.revokePermission('secondReader', code)
  await scene.cycle()
  const [facts, findings] = [scene.facts(), await scene.findings()]
  const wrong = { 'auth-mfa-policy-enabled': 'fail', 'auth-sso-enforced': 'fail' }
  expect(await scene.stored()).toMatchObject(wrong)
  test.useToken(test.sim.tokens.secondReader)
  for (let cycle = 0; cycle < 3; cycle++) {
    test.clock.advance(5 * minuteMs)
    const results = await scene.cycle()
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'failure'))
    expect(results.at(-1)?.reason).toBe('tenant_changed')
    expect(new Set(Object.values(await scene.shown()))).toEqual(new Set(['unknown']))
    expect([scene.facts(), await scene.findings()]).toEqual([facts, findings])
  }
  test.useToken(test.sim.tokens.reader)
  test.clock.advance(5 * minuteMs)
  await scene.cycle()
  expect(await scene.stored()).toMatchObject(wrong)
  scene.assertManners()
})
