import { expect, it } from 'vitest'
import { ownChecks } from '../../../src/checks/own/own-check.ts'
import type { OwnCheck, WellFormedCheck } from '../../../src/config/own-checks/own-check.ts'
import type { EvaluateTenant } from '../../../src/evaluate/check-run.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import type { NoAnswer, OwnAnswer, OwnQueries, OwnQuery } from '../../../src/evaluate/own-query.ts'
import { queryBudget } from '../../../src/evaluate/query-budget.ts'
import { readPosture } from '../../../src/evaluate/read-posture.ts'
import { ResultMemory } from '../../../src/evaluate/result-memory.ts'
import { hourMs, minuteMs } from '../../../src/model/durations.ts'
import { fingerprintOf } from '../../../src/model/finding.ts'
import { silentLog } from '../../../src/model/log.ts'
import { lifeOf, resync } from '../../evaluate/support/evaluating.ts'
import { fakeMirror } from '../../evaluate/support/fake-mirror.ts'
import { skewClocks } from '../../evaluate/support/skew-clocks.ts'
import { type SettingsChanges, tenantSettings } from '../../evaluate/support/tenant-settings.ts'
import { now } from '../support/evaluator.ts'

const written: WellFormedCheck = {
  id: 'my-check',
  file: 'my.sql',
  title: 'All is well',
  severity: 'high',
  inputs: ['users', 'roles'],
  maxAgeMs: null,
  entity: 'user',
  frameworks: [],
  description: null,
  risk: null,
  remediation: null,
  query: 'select 1',
  timeBased: false,
  problem: null,
}
const limits = { folder: 'own', timeoutMs: 10_000, maxRows: 100, incomplete: false }
const answered = (answer: Partial<OwnAnswer> = {}): OwnAnswer => ({
  kind: 'answered',
  ok: 0,
  alarms: [],
  errors: [],
  skipped: [],
  ...answer,
})

/** A mirror with scripted answers that records its queries and observations. */
function answering() {
  const mirror = fakeMirror(now)
  const asked: OwnQuery[] = []
  const state: { answer: OwnAnswer | NoAnswer } = { answer: answered({ ok: 3 }) }
  const ownQueries: OwnQueries = {
    async ask(_store, _tenantId, query) {
      asked.push(query)
      return state.answer
    },
  }
  return { ...mirror, asked, state, ownQueries }
}

type Scene = ReturnType<typeof answering>

interface EvaluationOptions
  extends Partial<Pick<EvaluateTenant, 'queryBudget' | 'memory' | 'onlyInputs' | 'keepUnlisted'>> {
  readonly at?: number
  readonly changes?: SettingsChanges
  readonly check?: OwnCheck | null
}

/** Evaluates the one own check, none where it is null; `status reason entities`. */
async function evaluator(
  { store, states, ownQueries }: Scene,
  { at = now, changes, check = written, ...how }: EvaluationOptions = {},
) {
  const checks = ownChecks({ ...limits, checks: check === null ? [] : [check] })
  const tenant = { id: 1, settings: tenantSettings(changes) }
  await evaluateTenant({ store, tenant, checks, now: at, log: silentLog(), ownQueries, ...how })
  const state = states.get(check?.id ?? '')
  return `${state?.status} ${state?.reason} ${state?.entities}`
}

it('runs its query for the tenant, and counts ok, alarm and error rows as evaluated', async () => {
  const scene = answering()
  expect(await evaluator(scene)).toBe('pass null 3')
  expect(scene.asked).toEqual([
    { text: 'select 1', inputs: ['users', 'roles'], now, tenant: 'acme', timeoutMs: 10_000, maxRows: 100 },
  ])
  scene.state.answer = answered({ ok: 3, alarms: [['7', 'It fails.']], errors: [['8', 'Unclear.']], skipped: ['9'] })
  expect(await evaluator(scene)).toBe('fail null 5')
  expect([...scene.findings.values()]).toMatchObject([
    {
      fingerprint: fingerprintOf({ tenant: 'acme', check: 'my-check', entityType: 'user', entityId: '7' }),
      entityType: 'user',
      entityId: '7',
      severity: 'high',
      message: 'It fails.',
      evidence: { ownCheck: 'my.sql', reason: 'It fails.', rule: expect.any(String) },
    },
  ])
})

it('does not pass without an ok row', async () => {
  const scene = answering()
  scene.state.answer = answered({ skipped: ['1'] })
  expect(await evaluator(scene)).toBe('not_applicable null 0')
})

it('is unknown while an entity cannot be evaluated, and names it with the reason', async () => {
  const scene = answering()
  scene.state.answer = answered({
    ok: 3,
    errors: [
      ['8', 'No role.'],
      ['9', 'Nor here.'],
    ],
  })
  expect(await evaluator(scene)).toBe('unknown ambiguous 5')
  expect(scene.states.get('my-check')?.problem).toBe('my.sql: it cannot evaluate 2 entities, such as 8: No role.')
  scene.state.answer = answered({ ok: 5 })
  expect(await evaluator(scene)).toBe('pass null 5')
  expect(scene.states.get('my-check')?.problem).toBeNull()
})

it('closes a finding as fixed or not applicable, and keeps it while its entity cannot be evaluated', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: ['1', '2', '3', '4'].map((entity) => [entity, 'It fails.'] as const) })
  await evaluator(scene)
  scene.state.answer = answered({ ok: 1, alarms: [['4', 'It fails.']], errors: [['2', 'Unclear.']], skipped: ['3'] })
  await evaluator(scene)
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'fixed', 2: 'open', 3: 'not_applicable', 4: 'open' })
})

it('keeps findings open, and is unknown, while its query fails', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene)
  scene.state.answer = { kind: 'failed', problem: 'no such column: x' }
  expect(await evaluator(scene)).toBe('unknown check_failed null')
  expect(scene.states.get('my-check')?.problem).toBe('my.sql: no such column: x')
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'open' })
})

it('keeps findings open while its file is broken or unreadable, and closes them when the file is removed', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene)
  const broken = { id: 'my-check', file: 'my.sql', problem: 'the header lacks title' }
  expect(await evaluator(scene, { check: broken })).toBe('unknown check_failed null')
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'open' })
  await evaluator(scene, { check: { ...broken, id: 'own-file-my' }, keepUnlisted: true })
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'open' })
  await evaluator(scene, { check: null })
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'check_disabled' })
})

it('is unknown when broken even if all resources are switched off', async () => {
  const scene = answering()
  const check = { id: 'my-check', file: 'my.sql', problem: 'the header lacks title' }
  const changes = { resources: { users: { enabled: false } } }
  expect(await evaluator(scene, { check, changes })).toBe('unknown check_failed null')
  const checks = ownChecks({ ...limits, checks: [check] })
  const tenant = { id: 1, settings: tenantSettings(changes) }
  const posture = await readPosture({
    store: scene.store,
    tenant,
    checks,
    waivers: [],
    now: now + 1,
    evaluateIntervalMs: minuteMs,
  })
  expect(posture.checks).toMatchObject([{ check: 'my-check', status: 'unknown', reason: 'check_failed' }])
})

it('resolves findings that a changed query no longer returns as rule_changed', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene)
  scene.state.answer = answered({ ok: 1 })
  await evaluator(scene, { check: { ...written, query: 'select 2' } })
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'rule_changed' })
})

it('resolves a finding as rule_changed when the entity type changes', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene)
  await evaluator(scene, { check: { ...written, entity: 'person' } })
  const life = [...scene.findings.values()].map(({ entityType, resolution }) => [entityType, resolution])
  expect(life).toEqual([
    ['user', 'rule_changed'],
    ['person', null],
  ])
})

it('never shows the check result of a former query', async () => {
  const scene = answering()
  await evaluator(scene)
  const tenant = { id: 1, settings: tenantSettings() }
  const shown = async (check: WellFormedCheck) => {
    const checks = ownChecks({ ...limits, checks: [check] })
    const request = { store: scene.store, tenant, checks, waivers: [], now, evaluateIntervalMs: minuteMs }
    return (await readPosture(request)).checks[0]
  }
  expect(await shown(written)).toMatchObject({ status: 'pass' })
  expect(await shown({ ...written, query: 'select 2' })).toMatchObject({ status: 'unknown', reason: 'stale' })
  expect(await shown({ ...written, inputs: ['users'] })).toMatchObject({ status: 'unknown', reason: 'stale' })
})

it.each([
  [
    'never read in full',
    'unknown never null',
    (s: Scene) => Object.assign(s.quality.roles.state, { completeStartedAt: null }),
  ],
  [
    'refused',
    'unknown missing_permission 3',
    (s: Scene) => Object.assign(s.quality.users.state, { denied: 'missing_permission' }),
  ],
  ['partly in quarantine', 'unknown quarantined 3', (s: Scene) => Object.assign(s.quality.roles, { quarantined: 1 })],
  ['stale', 'unknown stale 3', (s: Scene) => resync(s, now - 4 * hourMs, ['users'])],
])('does not pass on an input that is %s', async (_, status, spoil) => {
  const scene = answering()
  spoil(scene)
  expect(await evaluator(scene)).toBe(status)
})

it('treats inputs older than its maxAge as stale in every output', async () => {
  const scene = answering()
  const check = { ...written, maxAgeMs: 10 * minuteMs }
  expect(await evaluator(scene, { check })).toBe('pass null 3')
  const shown = async (at: number) => {
    const tenant = { id: 1, settings: tenantSettings() }
    const checks = ownChecks({ ...limits, checks: [check] })
    const request = { store: scene.store, tenant, checks, waivers: [], now: at, evaluateIntervalMs: minuteMs }
    return (await readPosture(request)).checks[0]?.status
  }
  expect(await shown(now + 10 * minuteMs)).toBe('pass')
  expect(await shown(now + 10 * minuteMs + 1)).toBe('unknown')
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene, { check })
  scene.state.answer = answered({ ok: 1 })
  expect(await evaluator(scene, { check, at: now + 11 * minuteMs })).toBe('unknown stale 1')
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'open' })
})

it('runs its query again only after an input, rule or version changed, also after a failure', async () => {
  const scene = answering()
  const memory = new ResultMemory()
  const tick = (minute: number) => evaluator(scene, { memory, at: now + minute * minuteMs })
  await tick(0)
  await tick(1)
  expect(scene.asked).toHaveLength(1)
  scene.version.of++
  scene.state.answer = { kind: 'failed', problem: 'it takes longer than 10 s' }
  expect(await tick(2)).toBe('unknown check_failed null')
  await tick(3)
  expect(scene.asked).toHaveLength(2)
  expect(scene.states.get('my-check')?.evaluatedAt).toBe(now + 3 * minuteMs)
  scene.version.of++
  await tick(4)
  expect(scene.asked).toHaveLength(3)
})

it('runs a time-based query at each evaluation, and does not pass while the clocks differ', async () => {
  const scene = answering()
  const memory = new ResultMemory()
  const check = { ...written, timeBased: true }
  for (const minute of [0, 1, 2]) await evaluator(scene, { memory, check, at: now + minute * minuteMs })
  expect(scene.asked.map((query) => query.now)).toEqual([now, now + minuteMs, now + 2 * minuteMs])
  skewClocks(scene, 400_000)
  expect(await evaluator(scene, { check })).toBe('unknown clock_skew 3')
  expect(await evaluator(scene)).toBe('pass null 3')
})

it('is evaluated after a run of one of its inputs, and after no other', async () => {
  const scene = answering()
  await evaluator(scene, { onlyInputs: ['documents'] })
  expect(scene.asked).toHaveLength(0)
  await evaluator(scene, { onlyInputs: ['roles'] })
  expect(scene.asked).toHaveLength(1)
})

it('is not applicable, and does not run, while it or an input is switched off', async () => {
  const scene = answering()
  expect(await evaluator(scene, { changes: { resources: { roles: { enabled: false } } } })).toBe(
    'not_applicable null null',
  )
  await evaluator(scene, { changes: { checks: { 'my-check': { enabled: false } } } })
  expect(scene.asked).toHaveLength(0)
})

it('has the severity that the configuration gives it', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene, { changes: { checks: { 'my-check': { severity: 'low' } } } })
  expect([...scene.findings.values()]).toMatchObject([{ severity: 'low' }])
})

it('escapes the text of a query result, and keeps long names distinct', async () => {
  const scene = answering()
  const long = 'n'.repeat(600)
  const reason = `<b>\u001b[31m\0${'w'.repeat(2000)}`
  scene.state.answer = answered({
    alarms: [
      [`${long}a`, reason],
      [`${long}b`, reason],
      ['\ud800', reason],
    ],
  })
  await evaluator(scene)
  const found = [...scene.findings.values()]
  expect(new Set(found.map(({ entityId }) => entityId)).size).toBe(3)
  for (const { entityId, message } of found) {
    expect(entityId.length).toBeLessThan(530)
    expect(entityId.isWellFormed()).toBe(true)
    expect(message).toMatch(/^<b>\\u\{1b\}\[31m\\u\{0\}w{900,}…$/)
  }
})

it('changes nothing when the engine stops during the query', async () => {
  const scene = answering()
  await evaluator(scene)
  const stopping = new AbortController()
  const ask: OwnQueries['ask'] = async (_store, _tenantId, _query, signal) => {
    stopping.abort(new DOMException('The engine ends', 'AbortError'))
    signal?.throwIfAborted()
    throw new Error('it was given no signal')
  }
  const checks = ownChecks({ ...limits, checks: [{ ...written, query: 'select 2' }] })
  const tenant = { id: 1, settings: tenantSettings() }
  const { store } = scene
  const how = { log: silentLog(), signal: stopping.signal, ownQueries: { ask } }
  await expect(evaluateTenant({ store, tenant, checks, now, ...how })).rejects.toThrow('The engine ends')
  expect(scene.states.get('my-check')?.status).toBe('pass')
})

it('is postponed while the query budget is used up: its check result stays and ages', async () => {
  const scene = answering()
  let time = 0
  let takes = 0
  const clock = { monotonic: () => time }
  const ask: OwnQueries['ask'] = async (...question) => {
    time += takes
    return scene.ownQueries.ask(...question)
  }
  const slow = { ...scene, ownQueries: { ask } }
  const warned: string[] = []
  const log = { ...silentLog(), warn: (_fields: object, message: string) => void warned.push(message) }
  const budget = queryBudget(clock, log)
  const tick = (minute: number) => evaluator(slow, { at: now + minute * minuteMs, queryBudget: budget })
  const evaluatedAt = () => ((scene.states.get('my-check')?.evaluatedAt ?? 0) - now) / minuteMs
  takes = 90_000
  expect(await tick(0)).toBe('pass null 3')
  time += minuteMs
  await tick(1)
  await tick(2)
  expect([evaluatedAt(), scene.asked.length, warned.length]).toEqual([0, 1, 1])
  time += 2 * minuteMs
  await tick(3)
  expect([evaluatedAt(), scene.asked.length]).toEqual([3, 2])
})
