import { expect, it } from 'vitest'
import { driftIdIn, type FindingView } from '../../src/model/finding.ts'
import { aDay, type Cli, type Decidable, json, synced } from './support/cli.ts'

const reason = ['--reason', 'Left with the spin-off, ticket 4711'] as const
const listed = (world: Pick<Cli, 'run'>) => json<Decidable>(world, 'accept')

async function onlyHold(world: Pick<Cli, 'run'>): Promise<Decidable> {
  const [hold, other] = (await listed(world)).filter(({ kind }) => kind === 'hold')
  if (hold === undefined || other !== undefined) throw new Error('There is not one hold')
  return hold
}

async function shrunk() {
  const world = await synced()
  const before = new Map([...world.simulator.primary.users.all()].map((user) => [String(user.userId), user]))
  world.simulator.primary.users.removeWhere(0.5)
  for (const { userId } of world.simulator.primary.users.all()) before.delete(String(userId))
  world.pass(aDay)
  const held = await world.run('sync')
  expect(held.code).toBe(3)
  const { id } = await onlyHold(world)
  return { ...world, id, held, gone: before }
}

const refused = async ({ run }: Pick<Cli, 'run'>, ...args: readonly string[]) => {
  const { code, stdout, stderr } = await run('accept', ...args)
  expect([args, code, stdout]).toEqual([args, 2, ''])
  return stderr
}

it('lists a hold with what accepting it does, and keeps its id while its content is unchanged', async () => {
  const world = await shrunk()
  const hold = { kind: 'hold', subject: 'users', reason: 'shrink_held', count: 125, accepted: false }
  expect(await onlyHold(world)).toMatchObject({ ...hold, id: world.id })
  expect((await onlyHold(world)).next).toContain('Accepting removes 125 records of users')
  expect((await onlyHold(world)).next).toContain(`"tenantwatch accept ${world.id} --count 125 --reason TEXT"`)
  expect(world.held.stdout.match(/users are missing/g)).toHaveLength(1)
  // Also where no run is affected.
  expect((await world.run('sync', '--resource', 'documents')).code).toBe(3)
  await world.run('sync', '--full')
  expect((await onlyHold(world)).id).toBe(world.id)
})

it('refuses another count, a short reason, and a hold beside other ids', async () => {
  const world = await shrunk()
  const { id } = world
  expect(await refused(world, id, '--count', '3', ...reason)).toContain('now covers 125 records, not 3')
  for (const given of [[], ['--reason', '  '], ['--reason', 'too short']])
    expect(await refused(world, id, ...given)).toContain('--reason TEXT')
  expect(await refused(world, 'e49418ad0f73-5f2c90ab', id, ...reason)).toContain('accepted alone')
  expect(await onlyHold(world)).toMatchObject({ accepted: false })
})

it('lists exactly the records that accepting a hold removes, with names on request only', async () => {
  const world = await shrunk()
  const ids = [...world.gone.keys()].sort((a, b) => Number(a) - Number(b))
  expect(await json(world, 'accept', world.id, '--list')).toEqual(ids.map((id) => ({ id })))
  const [first] = await json<Record<string, unknown>>(world, 'accept', world.id, '--list', '--details')
  const user = world.gone.get(ids[0] ?? '')
  expect(first).toEqual({ id: ids[0], name: `${user?.firstName} ${user?.lastName}`, email: user?.email })
  await world.run('accept', world.id, ...reason)
  await world.run('sync', '--full')
  const changes = await json<{ change: string; entity: string }>(world, 'history', '--since', '1d')
  const removed = changes.filter(({ change }) => change === 'removed').map(({ entity }) => entity)
  expect(new Set(removed)).toEqual(new Set(ids))
})

it('holds a tenant whose token shows another tenant, and accepts it only with the count', async () => {
  const world = await synced()
  const users = async () => (await world.run('export', 'users')).stdout
  const before = await users()
  world.simulator.swapTenant('reader')
  world.pass(aDay)
  expect(await world.run('sync')).toMatchObject({ code: 3 })
  const { id, count, subject, reason: why } = await onlyHold(world)
  expect([subject, why, await users()]).toEqual(['all', 'tenant_changed', before])
  // All that accepting removes, not only the ids that were compared.
  expect(count).toBeGreaterThan(
    world.simulator.primary.users.records.size + world.simulator.primary.documents.records.size,
  )
  expect(await refused(world, id, '--list')).toContain('names no records')
  const unconfirmed = await refused(world, id, ...reason)
  expect(unconfirmed).toContain(`--count ${count}`)
  expect(unconfirmed).toContain('ANOTHER tenant')
  const accepted = await world.run('accept', id, '--count', String(count), ...reason)
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('ANOTHER tenant') })
})

it('accepts no list without ownClientId, but names the setting that ends the hold', async () => {
  const world = await synced()
  const config = world.read('tenantwatch.yaml')
  const setTo = (clientId: string) =>
    world.write('tenantwatch.yaml', config.replace('name: acme', `name: acme\n    ownClientId: ${clientId}`))
  setTo('00000000-0000-4000-8000-00000000dead')
  world.pass(aDay)
  expect((await world.run('sync')).stdout).toMatch(/api-clients +full +tenant_changed/)
  const { id, next } = await onlyHold(world)
  expect(next).toMatch(/^It cannot be accepted\. Set ownClientId to/)
  expect(await refused(world, id, ...reason)).toContain('Set ownClientId to')
  setTo(world.simulator.credentials.reader.clientId)
  world.pass(aDay)
  expect((await world.run('sync')).code).toBe(0)
  expect(await listed(world)).toEqual([])
})

async function drifted() {
  const world = await synced({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const role = primary.roles.add({ name: 'Auditor', permissions: ['Api_Users_Read'] })
  const of = async (check: string, ...args: string[]) =>
    (await json<FindingView>(world, 'findings', ...args)).filter((one) => one.check === check)
  const only = async (check: string) => {
    const [finding, other] = await of(check)
    if (finding === undefined || other !== undefined) throw new Error(`${check} has not one finding`)
    return { ...finding, driftId: driftIdIn(finding) ?? 'none' }
  }
  return { ...world, primary, role, of, only }
}

const settings = 'auth-settings-unchanged'
const permissions = 'role-permissions-unchanged'

it('accepts the drifted state that an id names, once, and compares with it from then on', async () => {
  const world = await drifted()
  world.primary['authentication-settings'].update(0, { tenantName: 'new-idp' })
  await world.run('sync')
  const { fingerprint, driftId } = await world.only(settings)
  expect(driftId).toMatch(new RegExp(`^${fingerprint.slice(0, 12)}-[\\da-f]{8}$`))
  expect((await world.run('explain', driftId)).stdout).toContain(`\nDrift id     ${driftId}`)
  expect(await world.run('accept', driftId.toUpperCase(), ...reason)).toMatchObject({ code: 0, stderr: '' })
  expect((await listed(world)).find(({ id }) => id === driftId)).toMatchObject({ kind: 'drift', accepted: true })
  expect(await refused(world, driftId, ...reason)).toContain('is accepted already')
  await world.run('sync')
  const [ended] = await world.of(settings, '--all')
  expect(ended).toMatchObject({ state: 'resolved', resolution: 'rule_changed' })
  const decisions = (await world.run('history', '--format', 'json')).stdout.split('drift_accepted').length - 1
  expect(decisions).toBe(1)
  world.primary['authentication-settings'].update(0, { tenantName: 'next-idp' })
  await world.run('sync')
  expect((await world.only(settings)).evidence).toMatchObject({ present: 'next-idp', expected: 'new-idp' })
  expect(await refused(world, driftId, ...reason)).toContain('present state')
})

it('accepts several states with one reason, and none of them if one is refused', async () => {
  const world = await drifted()
  world.primary['authentication-settings'].update(0, { tenantName: 'new-idp', providerType: 'Oidc' })
  await world.run('sync')
  const ids = (await listed(world)).map(({ id }) => id)
  expect(ids).toHaveLength(3)
  const gone = `${ids[0]?.slice(0, 12)}-00000000`
  for (const args of [
    [...ids, gone, ...reason],
    [...ids, 'secret-word', ...reason],
    [...ids, '--count', '3', ...reason],
    ids,
  ])
    await refused(world, ...args)
  expect((await world.run('history', '--format', 'json')).stdout).not.toContain('drift_accepted')
  expect(await world.run('accept', ...ids, ...reason)).toMatchObject({ code: 0 })
  await world.run('sync')
  expect(await listed(world)).toEqual([])
})

it('refuses a state that has changed since it was shown, and a bare fingerprint', async () => {
  const world = await drifted()
  await world.run('sync')
  const shown = await world.only(permissions)
  world.primary.roles.update(world.role.roleId, { permissions: ['Api_Users_Read', 'Api_Users_Create'] })
  await world.run('sync')
  const present = await world.only(permissions)
  expect(present.driftId).not.toBe(shown.driftId)
  for (const id of [shown.driftId, present.fingerprint, present.fingerprint.slice(0, 12)])
    expect(await refused(world, id, ...reason)).toContain(present.driftId)
  await world.run('sync')
  expect(await world.only(permissions)).toMatchObject({ state: 'open' })
})

it('refuses what is no drift, and what the configuration decides', async () => {
  const world = await drifted()
  world.primary['api-clients'].add({ secretExpirationDate: '2026-03-02T00:00:00Z' })
  await world.run('sync')
  const role = await world.only(permissions)
  const secret = await world.only('api-client-secret-not-expiring')
  expect(await refused(world, secret.fingerprint, ...reason)).toContain('Other findings are waived')
  expect(await refused(world, '0123456789ab', ...reason)).toContain('No hold or drifted state')
  const baseline = `checks: { ${permissions}: { baseline: { Auditor: [Api_Roles_Read] } } }\n`
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml') + baseline)
  await world.run('sync')
  expect(await refused(world, role.driftId, ...reason)).toContain('a configured baseline is changed in the')
})
