import { expect, it } from 'vitest'
import { catalogue } from '../../src/commands/support/configuration.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { UnstoredRuns } from '../../src/daemon/unstored-runs.ts'
import { createViews, type EngineFacts } from '../../src/daemon/views.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import type { Mirror } from '../../src/store/port.ts'
import { aDay, type Cli, synced } from '../commands/support/cli.ts'

const twoTenants = {
  simulator: { sizes: { users: 20, documents: 10 }, secondSizes: { users: 10, documents: 5 } },
  tenants: [{ name: 'acme' }, { name: 'globex', token: 'secondReader' as const }],
}

/** The present view of a world that the outputs read. */
function viewsOf(
  { store, read, env }: Cli,
  now: number,
  changed: (mirror: Mirror) => Mirror = (same) => same,
  engine?: EngineFacts,
) {
  const mirror = changed(openMirror(store, 'beside'))
  const file = 'tenantwatch.yaml'
  const { settings } = loadSettings({ file, env, catalogue, text: read(file), purpose: 'request' })
  const views = createViews(mirror, settings, { now: () => now, monotonic: () => 0, sleep: async () => {} }, engine)
  return { views, mirror }
}

it('gives the last changes of one tenant, newest first', async () => {
  const world = await synced(twoTenants)
  const { primary } = world.simulator
  const [user, other] = [...world.simulator.primary.users.all()]
  primary.users.update(user?.userId ?? 0, { mfaStatus: user?.mfaStatus !== true, email: 'canary@example.com' })
  world.pass(aDay)
  await world.run('sync', '--full')
  primary.users.remove(other?.userId ?? 0)
  world.pass(aDay)
  await world.run('sync', '--full')
  const { views, mirror } = viewsOf(world, Date.parse('2026-03-03T12:00:00Z'))
  await using _ = mirror
  const all = await views.changes('acme', 20, true)
  const found = all.filter(({ resource }) => resource === 'users')
  const kinds = found.map(({ kind, field }) => `${kind} ${field}`)
  expect(kinds).toEqual(['removed null', 'changed mfaStatus', 'changed email'])
  expect(found.map(({ names }) => names[1])).toEqual([other?.email, 'canary@example.com', 'canary@example.com'])
  expect(found[2]).toMatchObject({ resource: 'users', key: String(user?.userId), after: 'canary@example.com' })
  expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a))
  expect(await views.changes('acme', 1, true)).toEqual(all.slice(0, 1))
  expect((await views.changes('acme', 20, false)).map(({ names }) => names)).toEqual(all.map(() => []))
  expect((await views.changes('globex', 20, true)).filter(({ resource }) => resource === 'users')).toEqual([])
  expect(await views.changes('nobody', 20, true)).toEqual([])
})

it('names whom a check could not evaluate, until it can', async () => {
  const world = await synced(twoTenants)
  const { primary } = world.simulator
  const [role] = [...world.simulator.primary.roles.all()].filter(({ state }) => state === 'Active')
  const { clientId } = primary['api-clients'].add({ roleName: null as never })
  const check = async (day: number) => {
    world.pass(aDay)
    await world.run('sync', '--full')
    const { views, mirror } = viewsOf(world, Date.parse(`2026-03-0${day}T12:00:00Z`))
    await using _ = mirror
    const [posture] = await views.posture('acme')
    return posture?.checks.find((one) => one.check === 'api-client-role-active')
  }
  expect(await check(2)).toMatchObject({
    notEvaluated: 1,
    notEvaluatedWhere: expect.stringMatching(/^the role name is missing/),
    unevaluated: [clientId.toLowerCase()],
  })
  const html = await world.run('report', '--tenant', 'acme')
  expect(html.stdout).toContain('<span class="why">unknown where the role name is missing')
  primary['api-clients'].update(clientId, { roleName: role?.name ?? '' })
  const after = await check(3)
  expect(after).toMatchObject({ notEvaluated: 0, entities: expect.any(Number) })
  expect(after).not.toHaveProperty('unevaluated')
  expect(after).not.toHaveProperty('notEvaluatedWhere')
})

it('has metrics of no tenant that another replica took while they were read', async () => {
  const world = await synced(twoTenants)
  let asked = 0
  // Both are owned when the reading begins.
  const owns = (tenant: string) => tenant === 'acme' || ++asked <= 1
  const engine = { skewOf: () => undefined, unstored: new UnstoredRuns(), owns }
  const { views, mirror } = viewsOf(world, world.now(), undefined, engine)
  await using _ = mirror
  expect((await views.metrics()).map(({ config }) => config.name)).toEqual(['acme'])
})
