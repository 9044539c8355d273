import { expect, it, vi } from 'vitest'
import { renderMirror } from '../../src/metrics/metrics.ts'
import { dayMs } from '../../src/model/time.ts'
import { lively, metricsOf, reading, records, untouched } from './support/daemon.ts'
import { parseExposition, seriesOf, valueIn } from './support/parse.ts'
import { at, check, mode, posture, resource } from './support/posture.ts'

const render = (...args: Parameters<typeof metricsOf>) => metricsOf(...args).render()

/** Of each family the number of its series and their values. */
function summary(body: string): readonly string[] {
  const families = Map.groupBy(parseExposition(body), ({ name }) => name)
  return [...families].flatMap(([name, series]) =>
    name.startsWith('tenantwatch_')
      ? [`${name} ${series.length}: ${[...new Set(series.map(({ value }) => value))]}`]
      : [],
  )
}

it('has before the first sync the counters and health series at 0, every check as unknown, and no inventory', async () => {
  const body = await render([reading(untouched)])
  expect(summary(body)).toMatchSnapshot()
  const ofUsers = seriesOf(body, 'tenantwatch_sync_failures_total').filter(
    ({ labels }) => labels['resource'] === 'users',
  )
  expect(ofUsers.map(({ labels }) => labels['reason'])).toEqual(['unauthorized', 'missing_permission'])
  expect(valueIn(body, 'tenantwatch_check_status', { check: 'user-mfa-enrolled', status: 'unknown' })).toBe(1)
})

it('shows an active tenant', async () => {
  const lines = (await render([reading(lively, records)])).split('\n')
  expect(lines.filter((line) => line.startsWith('tenantwatch_') && !line.endsWith(' 0'))).toMatchSnapshot()
})

const lastFullSync = (body: string) =>
  valueIn(body, 'tenantwatch_sync_last_success_timestamp_seconds', { resource: 'roles', mode: 'full' })

it('counts the data of a full sync whose removals are on hold as read', async () => {
  const last = mode({ up: false, reason: 'shrink_held', lastSuccessAt: at - dayMs })
  const heldSince = (dataAsOf: number) => ({
    ...lively,
    resources: lively.resources.map((one) => (one.resource === 'roles' ? { ...one, dataAsOf, modes: [last] } : one)),
  })
  expect(lastFullSync(await render([reading(heldSince(at - 60_000), records)]))).toBe(at / 1000 - 60)
  expect(lastFullSync(await render([reading(heldSince(at - 2 * dayMs), records)]))).toBe(at / 1000 - 86_400)
  // After the clock was set back.
  expect(lastFullSync(await render([reading(heldSince(at + dayMs), records)]))).toBe(at / 1000 - 86_400)
})

it('shows which resources the tenant refuses access to, whatever their runs fail for', async () => {
  const unreachable = [mode({ up: false, reason: 'network' })]
  const view = posture({
    resources: [
      resource('users', { modes: unreachable }),
      resource('documents', { modes: unreachable, accessRefused: true }),
      resource('roles', { accessRefused: true, enabled: false }),
    ],
  })
  const refused = seriesOf(await render([reading(view)]), 'tenantwatch_access_refused')
  expect(refused.map(({ labels, value }) => [labels['resource'], value])).toEqual([
    ['users', 0],
    ['documents', 1],
  ])
})

it('keeps the series of an expired waiver, and merges waivers with the same label', async () => {
  const [waiver] = lively.waivers
  if (waiver === undefined) throw new Error('The posture has no waiver')
  const long = 'x'.repeat(300)
  const ended = { ...waiver, state: 'expired', covered: 0 } as const
  const waivers = [ended, { ...waiver, id: `${long}a` }, { ...waiver, id: `${long}b` }]
  const body = await render([reading({ ...lively, waivers })])
  const named = { waiver: 'break-glass', state: 'expired' }
  expect(valueIn(body, 'tenantwatch_waiver_state', named)).toBe(1)
  expect(valueIn(body, 'tenantwatch_waiver_expiration_timestamp_seconds', { waiver: 'break-glass' })).toBe(
    1782863999.999,
  )
  expect(seriesOf(body, 'tenantwatch_waiver_findings')).toHaveLength(2)
})

it('leaves out a resource that is switched off', async () => {
  const view = posture({ resources: [resource('users', { enabled: false })] })
  expect(seriesOf(await render([reading(view)]), 'tenantwatch_sync_up')).toEqual([])
})

it('counts events of the engine', async () => {
  const metrics = metricsOf([reading(lively)])
  const counts = { created: 3, updated: 0, unchanged: 7, removed: 1, quarantined: 0 }
  const run = { tenant: 'acme', resource: 'users', mode: 'full', durationMs: 2000, counts } as const
  metrics.syncRunEnded({ ...run, outcome: 'success', reason: null })
  metrics.syncRunEnded({ ...run, outcome: 'failure', reason: 'timeout' })
  metrics.count('tenantwatch_sync_cursor_resets_total', { tenant: 'acme', resource: 'users' }, 1)
  metrics.count('tenantwatch_contract_events_total', { tenant: 'acme', resource: 'users', kind: 'unknown_field' }, 1)
  metrics.count('tenantwatch_secret_rotations_total', { tenant: 'acme' }, 2)
  metrics.count('tenantwatch_findings_opened_total', { tenant: 'acme', check: 'user-mfa-enrolled' }, 5)
  metrics.count('tenantwatch_findings_resolved_total', { tenant: 'acme', check: 'user-mfa-enrolled' }, 4)
  metrics.configReloaded(false, at + 5000)
  const body = await metrics.render()
  const users = { resource: 'users' }
  expect(valueIn(body, 'tenantwatch_sync_runs_total', { ...users, mode: 'full', outcome: 'success' })).toBe(1)
  expect(valueIn(body, 'tenantwatch_sync_failures_total', { ...users, reason: 'timeout' })).toBe(1)
  expect(valueIn(body, 'tenantwatch_sync_records_total', { ...users, change: 'created' })).toBe(6)
  expect(valueIn(body, 'tenantwatch_sync_duration_seconds_bucket', { ...users, mode: 'full', le: '5' })).toBe(2)
  expect(valueIn(body, 'tenantwatch_sync_cursor_resets_total', users)).toBe(1)
  expect(valueIn(body, 'tenantwatch_contract_events_total', { ...users, kind: 'unknown_field' })).toBe(1)
  expect(valueIn(body, 'tenantwatch_secret_rotations_total')).toBe(2)
  expect(valueIn(body, 'tenantwatch_findings_opened_total', { check: 'user-mfa-enrolled' })).toBe(5)
  expect(valueIn(body, 'tenantwatch_findings_resolved_total', { check: 'user-mfa-enrolled' })).toBe(4)
  expect(valueIn(body, 'tenantwatch_config_last_reload_successful')).toBe(0)
  expect(valueIn(body, 'tenantwatch_config_last_reload_success_timestamp_seconds')).toBe(at / 1000)
})

it('counts the traffic of a tenant under closed labels', async () => {
  const metrics = metricsOf([reading(lively)])
  const observer = metrics.observer('acme')
  observer.request('/api/public/users', '200', 0.2)
  observer.request('/api/public/users', 'timeout', 30)
  observer.request('/api/public/users', 'whatever\n', Number.NaN)
  observer.retry('timeout')
  const body = await metrics.render()
  const endpoint = '/api/public/users'
  expect(valueIn(body, 'tenantwatch_api_requests_total', { endpoint, status: '200' })).toBe(1)
  expect(valueIn(body, 'tenantwatch_api_requests_total', { endpoint, status: 'timeout' })).toBe(1)
  expect(valueIn(body, 'tenantwatch_api_requests_total', { endpoint, status: 'internal' })).toBe(1)
  expect(valueIn(body, 'tenantwatch_api_request_duration_seconds_count', { endpoint })).toBe(3)
  expect(valueIn(body, 'tenantwatch_api_retries_total', { reason: 'timeout' })).toBe(1)
})

it('counts each failed request in one class', async () => {
  const metrics = metricsOf([reading(lively)])
  const observer = metrics.observer('acme')
  for (const status of ['401', '403', '404', '408', '429', '500', '503', '302', '999']) observer.failed(status)
  const answers = ['timeout', 'network', 'tls', 'protocol', 'redirect', 'too_large', 'stale_answer', 'internal']
  for (const reason of [...answers, 'aborted']) observer.failed(reason)
  const found = seriesOf(await metrics.render(), 'tenantwatch_api_errors_total')
  expect(Object.fromEntries(found.map(({ labels, value }) => [labels['class'], value]))).toEqual({
    ...{ '401': 1, '429': 1, '4xx': 3, '5xx': 2, timeout: 1, network: 1, tls: 1, other: 7 },
  })
})

it('dates the evaluation of a tenant by the check that was evaluated longest ago', async () => {
  const dated = async (...checks: readonly ReturnType<typeof check>[]) =>
    valueIn(await render([reading(posture({ checks }))]), 'tenantwatch_evaluation_last_timestamp_seconds')
  const old = check('a', { evaluatedAt: at - 3_600_000 })
  expect(await dated(old, check('b'))).toBe(at / 1000 - 3600)
  expect(await dated(check('b'), check('c', { evaluatedAt: null }))).toBe(0)
  expect(await dated({ ...old, enabled: false }, check('b'))).toBe(at / 1000 - 20)
  expect(await dated({ ...old, enabled: false })).toBeUndefined()
})

it('fails the whole scrape when a tenant cannot be read, and recovers', async () => {
  const read = vi
    .fn()
    .mockRejectedValueOnce(new Error('disk'))
    .mockResolvedValue([reading(lively)])
  const metrics = metricsOf([], { read })
  await expect(metrics.render()).rejects.toThrow('disk')
  await expect(metrics.render()).resolves.toBeDefined()
})

it('reads once for scrapes at the same time', async () => {
  const read = vi.fn(async () => [reading(lively)])
  const metrics = metricsOf([], { read })
  for (const body of await Promise.all([metrics.render(), metrics.render()]))
    expect(valueIn(body, 'tenantwatch_findings', { check: 'user-mfa-enrolled', severity: 'high' })).toBe(117)
  expect(read).toHaveBeenCalledTimes(1)
})

it('omits metrics of a running daemon from those of the mirror', async () => {
  const body = (await Array.fromAsync(renderMirror('1.2.3', [await reading(lively, records)]))).join('')
  expect(body).toContain('tenantwatch_check_status')
  expect(body).toContain('tenantwatch_build_info')
  for (const part of ['_total', '_bucket', 'process_', 'nodejs_', '_reload_']) expect(body).not.toContain(part)
})

it('shows no status of a disabled check', async () => {
  for (const status of ['not_applicable', 'pass'] as const) {
    const view = posture({ checks: [check('user-mfa-enrolled', { status, enabled: false })] })
    const body = await render([reading(view)])
    expect(seriesOf(body, 'tenantwatch_check_status').map(({ value }) => value)).toEqual([0, 0, 0, 0])
    expect(valueIn(body, 'tenantwatch_check_enabled', { check: 'user-mfa-enrolled' })).toBe(0)
  }
})
