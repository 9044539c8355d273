import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { UnstoredRuns } from '../../src/daemon/unstored-runs.ts'
import type { RunResult } from '../../src/sync/observer.ts'
import { at, mode, posture, resource } from '../metrics/support/posture.ts'
import { reloadable } from './support/reloading.ts'

const signal = () => new AbortController().signal

it('shows a run whose end cannot be stored as failed until one succeeds', async () => {
  const world = await reloadable()
  const series = (name: string, kind: string) =>
    `tenantwatch_sync_${name}{tenant="acme",resource="users",mode="${kind}"}`
  const [tenant] = world.session.tenants
  if (tenant === undefined) throw new Error('There is no tenant')
  const run = (mode: 'incremental' | 'full') =>
    world.session.syncAndEvaluate(tenant, { resource: 'users', mode, signal: signal() })
  const before = await world.metric(series('last_attempt_timestamp_seconds', 'incremental'))
  expect(await world.metric(series('up', 'incremental'))).toBe(1)
  const beside = new BetterSqlite3(join(world.folder, 'mirror.db'))
  onTestFinished(() => void beside.close())
  beside.exec(`create trigger refused before insert on runs begin select raise(abort, 'refused by the test'); end`)
  expect(await run('incremental')).toMatchObject({ outcome: 'failure', reason: 'store', stored: false })
  expect(await world.metric(series('up', 'incremental'))).toBe(0)
  expect(await world.metric(series('up', 'full'))).toBe(1)
  expect(await world.metric(series('last_attempt_timestamp_seconds', 'incremental'))).toBeGreaterThan(before ?? 0)
  expect(await world.get('/')).toContain('new data cannot be stored')
  beside.exec('drop trigger refused')
  expect(await run('incremental')).toMatchObject({ outcome: 'success', stored: true })
  expect(await world.metric(series('up', 'incremental'))).toBe(1)
  expect(await world.get('/')).not.toContain('new data cannot be stored')
})

const users = resource('users', { modes: [mode({ mode: 'incremental' }), mode({ mode: 'full' })] })
const shown = posture({ resources: [users, resource('roles')] })
const run = (fields: Partial<RunResult>): RunResult => ({
  tenant: shown.tenant,
  resource: 'users',
  mode: 'full',
  outcome: 'failure',
  reason: 'store',
  message: 'The database cannot be written',
  hint: 'Free space',
  counts: { created: 0, updated: 0, unchanged: 0, removed: 0, quarantined: 0 },
  pages: 0,
  durationMs: 1,
  retryAt: null,
  tokenRefused: false,
  stored: false,
  ...fields,
})
const ups = (runs: UnstoredRuns) => runs.over(shown).resources[0]?.modes.map(({ up }) => up)

it('uses an unstored result in place of the stored one, in whichever way storing failed', () => {
  const runs = new UnstoredRuns()
  expect(runs.over(shown)).toBe(shown)
  runs.ended(run({ reason: 'network' }), at)
  expect(runs.over(shown).resources).toEqual([
    {
      ...users,
      message: 'The database cannot be written. Free space',
      modes: [users.modes[0], { ...users.modes[1], up: false, reason: 'store', lastAttemptAt: at }],
    },
    shown.resources[1],
  ])
  runs.ended(run({ stored: true, reason: 'network' }), at)
  expect(runs.over(shown)).toBe(shown)
})

it('accepts a stored full sync in place of an incremental one, but not the reverse', () => {
  const runs = new UnstoredRuns()
  const success = { stored: true, outcome: 'success', reason: null } as const
  runs.failed({ tenant: shown.tenant, resource: 'users', mode: 'full' }, 'gone', at)
  runs.ended(run({ mode: 'incremental' }), at)
  runs.ended(run({ mode: 'incremental', outcome: 'skipped', reason: null, stored: true }), at)
  expect(ups(runs)).toEqual([false, false])
  runs.ended(run({ mode: 'incremental', ...success }), at)
  expect(ups(runs)).toEqual([true, false])
  runs.ended(run({ mode: 'incremental' }), at)
  runs.ended(run(success), at)
  expect(ups(runs)).toEqual([true, true])
  runs.ended(run({ reason: 'aborted' }), at)
  expect(ups(runs)).toEqual([true, true])
})
