import { expect } from 'vitest'
import { minuteMs } from '../../../src/model/durations.ts'
import { fullFreshnessLimitMs } from '../../../src/model/freshness.ts'
import type { Reason } from '../../../src/model/reasons.ts'
import { type ResourceName, resourceNames, type SyncMode } from '../../../src/model/resource-names.ts'
import { resources } from '../../../src/resources/index.ts'
import type { Fault } from './fault-server.ts'
import {
  assertMirrored,
  changeUpstream,
  checksOf,
  resourceAt,
  type Scene,
  type SceneOptions,
  spoil,
  startScene,
} from './scene.ts'

/** One row of a fault table: the fault of a resource, and the expected result of the run. */
export interface FaultCase {
  readonly what: string
  /** Default `users`. */
  readonly on?: ResourceName
  /** Answers in place of the right one; or puts the whole server into a state and gives the way back. */
  readonly fault?: Fault | undefined
  /** Several that end alike, one after the other on one mirror; made when the listeners are known. */
  readonly family?: (scene: Scene) => Readonly<Record<string, Fault>>
  readonly state?: (scene: Scene) => Promise<() => Promise<void>> | (() => Promise<void>)
  readonly reason: Reason
  /** A word that the run's message must hold. */
  readonly message?: string
  /** From which page of a full sync on; default 1. What comes before is right and committed. */
  readonly fromPage?: number
  /** Only for a request that matches, beside the path. */
  readonly when?: (query: URLSearchParams) => boolean
  /** The ways of running that are tried; default incremental sync and full sync for feeds. */
  readonly modes?: readonly SyncMode[]
  /** Requests of one faulty run at most; default 5. */
  readonly requests?: number
  /** True when the tenant asks for silence: nothing is sent to it for any resource until that is over. */
  readonly silences?: true
  /** The required status of every check on the resource at once, not only after the freshness limit. */
  readonly atOnce?: 'unknown' | 'no-pass'
  /** True when waiting it out again would only cost time. */
  readonly once?: true
  readonly scene?: SceneOptions
}

const feeds: readonly ResourceName[] = ['users', 'documents']

/** Runs a row through client, engine, mirror and evaluate: before, under and after the fault. */
export async function proveFault(row: FaultCase): Promise<void> {
  const resource = row.on ?? 'users'
  const scene = await startScene(row.scene)
  const { test, server } = scene
  const spoilt = spoil(scene)
  await assertSound(scene)
  const findings = await scene.findings()
  const cursor = await cursorOf(scene, resource)
  changeUpstream(scene, spoilt)

  const facts = scene.facts()
  const family = row.family?.(scene) ?? { [row.what]: row.fault }
  let repair = async () => {}
  for (const [what, fault] of Object.entries(family)) {
    repair = await inflict(scene, row, fault)
    for (const mode of row.modes ?? (feeds.includes(resource) ? ['incremental', 'full'] : ['full'])) {
      await runFaulty(scene, row, mode, what)
    }
  }
  expect(scene.facts(), 'records of the mirror').toEqual(facts)
  expect(await cursorOf(scene, resource), 'stored cursor').toBe(cursor)
  await scene.evaluator()
  await assertKept(scene, findings, resource, row.atOnce ?? null)

  test.clock.advance(limitOf(scene, resource) + minuteMs)
  const sent = server.requests.length
  if (row.state === undefined) for (const name of resourceNames) if (name !== resource) await test.run(name, 'full')
  if (row.silences === true) expect(server.requests.length, 'requests beside').toBe(sent)
  if (row.once !== true) await runFaulty(scene, row, 'full', 'aged')
  await scene.evaluator()
  await assertKept(scene, findings, resource, 'unknown')
  if (row.state === undefined && row.silences !== true) await assertIsolated(scene, resource)

  await repair()
  await assertRecovery(scene, resource, findings)
  expect(server.requests.length).toBeGreaterThan(0)
  scene.assertManners()
}

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

async function inflict(scene: Scene, row: FaultCase, fault: Fault | undefined): Promise<() => Promise<void>> {
  if (row.state !== undefined) return row.state(scene)
  const { server } = scene
  const { when = () => true, fromPage = 1 } = row
  let page = 0
  server.choose = ({ path, query }) => {
    if (resourceAt(path) !== (row.on ?? 'users')) return undefined
    page = query.has('cursor') ? page + 1 : 1
    return page >= fromPage && when(query) ? fault : undefined
  }
  return async () => {
    server.choose = () => undefined
  }
}

async function runFaulty(scene: Scene, row: FaultCase, mode: SyncMode, what: string): Promise<void> {
  const { test, server } = scene
  const { on: resource = 'users' } = row
  const before = server.requests.length
  const result = await test.run(resource, mode)
  expect([result.outcome, result.reason, result.mode], `${what}: ${result.message}`).toEqual([
    'failure',
    row.reason,
    mode,
  ])
  expect(result.message).toContain(row.message ?? '')
  const spent = server.requests.length - before
  expect(spent, `requests of a run with ${what}`).toBeLessThanOrEqual(row.requests ?? 5)
  const state = await test.mirror.syncState(test.engine.tenantId, resource)
  expect(mode === 'incremental' ? state.incrementalReason : state.fullReason, 'stored reason').toBe(row.reason)
  const [last] = test.query('select outcome, reason, mode from runs order by id desc limit 1')
  expect(last).toEqual({ outcome: 'failure', reason: row.reason, mode })
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

/** The other resources were read, so their checks speak. */
async function assertIsolated(scene: Scene, resource: ResourceName): Promise<void> {
  const dependent = checksOf(resource)
  for (const [check, status] of Object.entries(await scene.stored())) {
    if (!dependent.includes(check)) expect([check, status]).not.toEqual([check, 'unknown'])
  }
}

/** Two cycles at most until all is well, and one more for what needs two full syncs to be gone. */
async function assertRecovery(scene: Scene, resource: ResourceName, findings: readonly string[]): Promise<void> {
  const { test } = scene
  const own = () => test.observed.runs.filter((run) => run.resource === resource).at(-1)?.reason
  const { blockedUntil } = await test.mirror.tenant(test.engine.tenantId)
  test.clock.advance(Math.max(5 * minuteMs, blockedUntil - test.clock.now()))
  let cycles = 1
  await scene.cycle()
  if (own() !== null) {
    cycles++
    test.clock.advance(5 * minuteMs)
    await scene.cycle()
  }
  expect(own(), `reason after ${cycles} cycles`).toBeNull()
  await assertMirrored(scene)
  const statuses = await scene.stored()
  expect(Object.values(statuses)).not.toContain('unknown')
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
  const { freshnessMs, full } = test.settings.resources[resource]
  return fullFreshnessLimitMs({ explicitMs: freshnessMs, intervalMs: full.intervalMs, durationMs: null })
}

async function cursorOf({ test }: Scene, resource: ResourceName): Promise<string | null> {
  return (await test.mirror.syncState(test.engine.tenantId, resource)).cursor
}

/** A row of a table of faults that are ridden out: the run succeeds and the mirror is right. */
export interface HarmlessCase {
  readonly what: string
  readonly on?: ResourceName
  readonly fault: Fault
  /** Number of affected requests; default all. */
  readonly times?: number
  readonly scene?: SceneOptions
}

export async function proveHarmless(row: HarmlessCase): Promise<void> {
  const resource = row.on ?? 'users'
  const scene = await startScene(row.scene)
  const { server } = scene
  const spoilt = spoil(scene)
  await assertSound(scene)
  changeUpstream(scene, spoilt)
  let met = 0
  server.choose = ({ path }) =>
    resourceAt(path) === resource && met++ < (row.times ?? Number.POSITIVE_INFINITY) ? row.fault : undefined
  const results = await scene.cycle()
  expect(results.map(({ reason }) => reason)).toEqual(Array(resources.length).fill(null))
  expect(met).toBeGreaterThan(0)
  await assertMirrored(scene)
  scene.assertManners()
}

/** The name of a row in the run's report. */
export function named<T extends { readonly what: string }>(rows: readonly T[]): readonly (readonly [string, T])[] {
  return rows.map((row) => [row.what, row])
}
