import { expect, it } from 'vitest'
import { ownChecks } from '../../../src/checks/own/own-check.ts'
import type { OwnCheck, WellFormedCheck } from '../../../src/config/own-checks.ts'
import type { EvaluateTenant } from '../../../src/evaluate/check-run.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import type { NoAnswer, OwnAnswer, OwnQueries, OwnQuery } from '../../../src/evaluate/own-query.ts'
import { hourMs, minuteMs } from '../../../src/model/durations.ts'
import { fingerprintOf } from '../../../src/model/finding.ts'
import { silentLog } from '../../../src/model/log.ts'
import { lifeOf, resync } from '../../evaluate/support/evaluating.ts'
import { fakeMirror } from '../../evaluate/support/fake-mirror.ts'
import { type SettingsChanges, tenantSettings } from '../../evaluate/support/tenant-settings.ts'
import { now } from '../support/facts.ts'

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

interface EvaluationOptions extends Partial<Pick<EvaluateTenant, 'onlyInputs' | 'keepUnlisted'>> {
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

it('resolves findings that a changed query no longer returns as rule_changed', async () => {
  const scene = answering()
  scene.state.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluator(scene)
  scene.state.answer = answered({ ok: 1 })
  await evaluator(scene, { check: { ...written, query: 'select 2' } })
  expect(lifeOf(scene, 'my-check')).toEqual({ 1: 'rule_changed' })
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

it('runs its query again only after an input, rule or version changed, also after a failure', async () => {
  const scene = answering()
  scene.version.of = 1
  const tick = (minute: number) => evaluator(scene, { at: now + minute * minuteMs })
  await tick(0)
  await tick(1)
  expect(scene.asked).toHaveLength(1)
  scene.version.of = 2
  scene.state.answer = { kind: 'failed', problem: 'it takes longer than 10 s' }
  expect(await tick(2)).toBe('unknown check_failed null')
  await tick(3)
  expect(scene.asked).toHaveLength(2)
  expect(scene.states.get('my-check')?.evaluatedAt).toBe(now + 3 * minuteMs)
  scene.version.of = 3
  await tick(4)
  expect(scene.asked).toHaveLength(3)
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
