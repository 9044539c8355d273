import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import type { TenantReport } from '../../src/report/build-report.ts'
import { withDatabase } from '../support/sqlite.ts'
import { type Cli, synced } from './support/cli.ts'

type Head = NonNullable<TenantReport['chainHead']>

async function heads({ run }: Pick<Cli, 'run'>, ...options: readonly string[]): Promise<readonly Head[]> {
  const { stdout } = await run('report', '--format', 'json', ...options)
  const { tenants } = JSON.parse(stdout) as { readonly tenants: readonly TenantReport[] }
  return tenants.flatMap(({ chainHead }) => chainHead ?? [])
}

/** Changes one user and syncs, a minute later. */
async function change(world: Cli, lastName: string): Promise<void> {
  const [user] = world.simulator.primary.users.all()
  world.simulator.primary.users.update(user?.userId ?? 0, { lastName })
  world.pass(minuteMs)
  await world.run('sync', '--full')
}

it('keeps the head of a time for later reports of that time', async () => {
  const world = await synced()
  const time = new Date(world.now()).toISOString()
  const before = await heads(world)
  await change(world, 'Else')
  const after = await heads(world)
  expect(after[0]?.id).toBeGreaterThan(before[0]?.id ?? 0)
  expect(await heads(world, '--as-of', time)).toEqual(before)
  const both = [...before, ...after].flatMap(({ hash }) => ['--head', hash])
  expect(await world.run('verify', ...both)).toMatchObject({ code: 0 })
})

it('writes JSON for programs', async () => {
  const world = await synced()
  await change(world, 'Other')
  const [head] = await heads(world)
  withDatabase(world.store, (db) =>
    db.exec(`update events set at = at + 1 where kind = 'result'; update findings set severity = 'low'`),
  )
  const { code, stdout } = await world.run(
    'verify',
    '--format',
    'json',
    '--head',
    'F'.repeat(64),
    '--head',
    head?.hash ?? '',
  )
  expect(code).toBe(3)
  const made = JSON.parse(stdout)
  expect(made).toMatchObject({
    configuration: { events: 1, erased: 0, mismatches: [] },
    tenants: [{ tenant: 'acme', erased: 0, head, foundHeads: [{ ...head, later: 0 }] }],
    unknownHeads: ['f'.repeat(64)],
  })
  const { mismatches } = made.tenants[0]
  expect(mismatches[0]).toEqual({
    ...{ what: 'event_changed', id: expect.any(Number), kind: 'result', subject: expect.any(String) },
    at: expect.stringMatching(/Z$/),
  })
  expect(mismatches).toContainEqual({
    what: 'findings_changed',
    count: expect.any(Number),
    first: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
})
