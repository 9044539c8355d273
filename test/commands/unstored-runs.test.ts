import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { UnstoredRuns } from '../../src/daemon/unstored-runs.ts'
import { createViews } from '../../src/daemon/views.ts'
import type { TenantPosture } from '../../src/model/posture.ts'
import { systemClock } from '../../src/model/process/system-clock.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { reloadable } from './support/reloading.ts'

const signal = () => new AbortController().signal

it('shows a run whose end cannot be stored as failed until one succeeds', async () => {
  const world = await reloadable()
  const series = (name: string, kind: string) =>
    `tenantwatch_sync_${name}{tenant="acme",resource="users",mode="${kind}"}`
  const [tenant] = world.session.tenants
  if (tenant === undefined) throw new Error('There is no tenant')
  const run = (mode: 'incremental' | 'full') =>
    world.session.syncAndEvaluate(tenant, { resource: 'users', mode }, signal())
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

it('shows it after an aborted run of its kind, too', () => {
  const unstored = new UnstoredRuns()
  const run = { tenant: 'acme', resource: 'users', mode: 'full' } as const
  unstored.failed(run, 'The database cannot be reached', 1)
  unstored.ended({ ...run, outcome: 'failure', reason: 'aborted', stored: true } as RunResult, 2)
  const full = { mode: 'full', up: true, lastAttemptAt: 2 }
  const posture = { tenant: 'acme', resources: [{ resource: 'users', modes: [full] }] } as unknown as TenantPosture
  expect(unstored.over(posture).resources[0]?.modes).toMatchObject([{ up: false, reason: 'store' }])
})

it('shows a tenant that another replica took over, or ran meanwhile, as the mirror has it', async () => {
  const { mirror, settings } = (await reloadable()).session
  const unstored = new UnstoredRuns()
  for (const at of [1e15, 0]) {
    unstored.failed({ tenant: 'acme', resource: 'users', mode: 'full' }, 'The database cannot be reached', at)
    for (const isOwn of [true, false]) {
      const engine = { skewOf: () => undefined, unstored, owns: () => isOwn }
      const [posture] = await createViews(mirror, settings, systemClock(), engine).posture('acme')
      const full = posture?.resources.flatMap(({ resource, modes }) => (resource === 'users' ? modes : [])).at(-1)
      expect(full).toMatchObject({ mode: 'full', up: !isOwn || at === 0 })
    }
  }
})
