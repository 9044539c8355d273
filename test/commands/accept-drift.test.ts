import { expect, it } from 'vitest'
import { synced } from './support/cli.ts'

async function drifted() {
  const world = await synced({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const role = primary.addRole({ name: 'Auditor', permissions: ['Api_Users_Read'] })
  const found = async (...args: string[]) =>
    JSON.parse((await world.run('findings', '--format', 'json', ...args)).stdout)
  const of = async (check: string) => (await found()).filter((one: { check: string }) => one.check === check)
  return { ...world, primary, role, found, of }
}

it('accepts the drift that a finding shows, and no other', async () => {
  const world = await drifted()
  world.primary.setSettings({ providerType: 'Oidc', ssoEnabled: true, ssoEnforced: true })
  await world.run('sync')
  const [finding] = (await world.of('auth-settings-unchanged')).filter(
    (one: { entity: { id: string } }) => one.entity.id === 'providerType',
  )
  expect(await world.run('accept', finding.fingerprint.slice(0, 12), '--reason', 'Moved to another provider')).toEqual({
    code: 0,
    stdout:
      'Accepted: auth-settings-unchanged of acme providerType: "Oidc". The finding ends with the next evaluation.\n',
    stderr: '',
  })
  await world.run('sync')
  const ended = (await world.found('--all')).find(
    (one: { fingerprint: string }) => one.fingerprint === finding.fingerprint,
  )
  expect(ended).toMatchObject({ state: 'resolved', resolution: 'rule_changed' })
  world.primary.setSettings({ providerType: 'Ldap' })
  await world.run('sync')
  const [again] = await world.of('auth-settings-unchanged')
  expect(again.evidence).toMatchObject({ present: 'Ldap', expected: 'Oidc', acceptedFor: 'Moved to another provider' })
})

it('accepts what a new role grants, and that a role is gone', async () => {
  const world = await drifted()
  await world.run('sync')
  const [fresh] = await world.of('role-permissions-unchanged')
  expect(fresh).toMatchObject({ severity: 'high', evidence: { gained: ['Api_Users_Read'], expected: null } })
  expect(await world.run('accept', fresh.fingerprint, '--reason', 'For the auditors')).toMatchObject({ code: 0 })
  await world.run('sync')
  expect(await world.of('role-permissions-unchanged')).toEqual([])
  world.primary.removeRole(world.role.roleId)
  await world.run('sync')
  const [gone] = await world.of('role-permissions-unchanged')
  expect(gone).toMatchObject({ severity: 'medium', evidence: { lost: ['Api_Users_Read'], present: null } })
  await world.run('accept', gone.fingerprint, '--reason', 'The audit is over')
  await world.run('sync')
  expect(await world.of('role-permissions-unchanged')).toEqual([])
})

it('lists holds only, and refuses what is no drift, what the configuration decides and what has no reason', async () => {
  const world = await drifted()
  const { clientId } = world.primary.addApiClient({ secretExpirationDate: '2026-03-02T00:00:00Z' })
  await world.run('sync')
  expect((await world.run('accept')).stdout).toBe('')
  const [role] = await world.of('role-permissions-unchanged')
  const [secret] = await world.of('api-client-secret-not-expiring')
  expect(secret.entity.id).toBe(clientId)
  const refused = async (...args: string[]) => {
    const { code, stderr } = await world.run('accept', ...args)
    return `${code} ${stderr}`
  }
  const reason = ['--reason', 'A reason'] as const
  expect(await refused(role.fingerprint)).toMatch(/^2 .*Give a reason with --reason TEXT/)
  expect(await refused(secret.fingerprint, ...reason)).toMatch(/^2 .*waive this one in the configuration/)
  expect(await refused('0123456789ab', ...reason)).toMatch(/^2 .*No hold has this id/)
  expect(await refused(role.fingerprint, '--count', '1', ...reason)).toMatch(/^2 .*No hold has this id/)
  const baseline = 'checks: { role-permissions-unchanged: { baseline: { Auditor: [Api_Roles_Read] } } }\n'
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml') + baseline)
  await world.run('sync')
  expect(await refused(role.fingerprint, ...reason)).toMatch(/^2 .*change checks\.role-permissions-unchanged\.baseline/)
})
