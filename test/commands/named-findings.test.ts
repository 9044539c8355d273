import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import { aDay, type Cli, synced } from './support/cli.ts'

interface Info {
  readonly check: string
  readonly severity: string
  readonly entity_type: string
  readonly entity_id: string
  readonly fingerprint: string
}

/** The named findings of the exposition from the mirror alone, as a process that just started makes it. */
async function infosOf({ run }: Cli): Promise<readonly Info[]> {
  const lines = (await run('metrics')).stdout.split('\n').filter((line) => line.startsWith('tenantwatch_finding_info{'))
  return lines.map((line) => {
    const labels = [...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value])
    return Object.fromEntries(labels) as Info
  })
}

const openOf = async ({ run }: Cli): Promise<readonly FindingView[]> =>
  JSON.parse((await run('findings', '--format', 'json')).stdout)

it('names up to ten open findings of every check, the same after a restart, and explains each', async () => {
  const world = await synced({ simulator: { sizes: { users: 120, documents: 40 } } })
  const infos = await infosOf(world)
  const open = await openOf(world)
  expect(await infosOf(world)).toEqual(infos)
  const counts = Map.groupBy(open, ({ check }) => check)
  expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBeGreaterThan(10)
  for (const [check, all] of counts) {
    const named = infos.filter((info) => info.check === check)
    expect([check, named.length]).toEqual([check, Math.min(10, all.length)])
    for (const { fingerprint, severity, entity_type: type, entity_id: id } of named) {
      const entity = { type, id: check === 'document-name-unique' ? expect.any(String) : id }
      expect(all.find((one) => one.fingerprint === fingerprint)).toMatchObject({ severity, entity })
      expect([check, id === '']).toEqual([check, check === 'document-name-unique'])
    }
  }
  const explained = await world.run('explain', infos[0]?.fingerprint ?? '')
  expect(explained.stdout).toContain(infos[0]?.check)
})

it('names a finding no longer once it is waived, and no other in its place where there is none', async () => {
  const world = await synced({ simulator: { problems: false, sizes: { users: 5, documents: 3 } } })
  const { primary } = world.simulator
  primary.setSettings({ mfaEnabled: true })
  const [first, second] = [...primary.state.users()].map(({ userId }) => userId)
  for (const id of [first, second]) primary.updateUser(id ?? 0, { state: 'Active', mfaStatus: false })
  world.pass(aDay)
  await world.run('sync', '--full')
  const idsOf = async () =>
    (await infosOf(world)).filter(({ check }) => check === 'user-mfa-enrolled').map((info) => info.entity_id)
  expect(await idsOf()).toEqual(expect.arrayContaining([String(first), String(second)]))
  const waiver = `waivers:
  - { id: W-1, check: user-mfa-enrolled, entity: "${first}", tenant: acme, reason: Accepted for as long as this test runs, owner: me, expires: 2026-12-31 }
`
  world.write('tenantwatch.yaml', `${world.read('tenantwatch.yaml')}${waiver}`)
  expect(await idsOf()).not.toContain(String(first))
  expect(await idsOf()).toContain(String(second))
  world.pass(400 * aDay)
  expect(await idsOf()).toContain(String(first))
})

it('names the findings of an own check by their fingerprints alone', async () => {
  const own = `-- id: mine
-- title: T
-- severity: high
-- inputs: users
-- entity: user
select email as entity, 'alarm' as status, firstName || ' fails.' as reason from users
`
  const world = await synced({
    simulator: { sizes: { users: 3, documents: 3 } },
    more: 'ownChecks: { folder: ".", timeoutSeconds: 60 }',
  })
  world.write('mine.sql', own)
  expect((await world.run('sync')).code).toBe(0)
  const mine = (await infosOf(world)).filter(({ check }) => check === 'mine')
  expect(mine.map(({ entity_type: type, entity_id: id }) => [type, id])).toEqual(Array(3).fill(['user', '']))
  const { stdout } = await world.run('metrics')
  for (const { email } of world.simulator.state().users()) expect(stdout).not.toContain(email)
})
