import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import { driftIdIn, type FindingView } from '../../src/model/finding.ts'
import { synced } from './support/cli.ts'
import { shown, wider } from './support/on-terminal.ts'

const reason = ['--reason', 'Agreed in ticket 4711'] as const

async function drifted() {
  const world = await synced({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  const { primary } = world.simulator
  const role = primary.addRole({ name: 'Auditor', permissions: ['Api_Users_Read'] })
  const found = async (...args: string[]): Promise<FindingView[]> =>
    JSON.parse((await world.run('findings', '--format', 'json', ...args)).stdout)
  const of = async (check: string) => (await found()).filter((one) => one.check === check)
  const only = async (check: string, entity?: string) => {
    const [finding, other] = (await of(check)).filter(({ entity: { id } }) => entity === undefined || id === entity)
    if (finding === undefined || other !== undefined) throw new Error(`${check} has not one finding`)
    return { ...finding, driftId: driftIdIn(finding) ?? 'none' }
  }
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await world.run('accept', ...args)
    expect(stdout).toBe('')
    return `${code} ${stderr}`
  }
  return { ...world, primary, role, found, of, only, refused }
}

it('accepts the drifted state that an id names', async () => {
  const world = await drifted()
  world.primary.setSettings({ providerType: 'Oidc', ssoEnabled: true, ssoEnforced: true })
  await world.run('sync')
  const { fingerprint, driftId } = await world.only('auth-settings-unchanged', 'providerType')
  expect(driftId).toMatch(new RegExp(`^${fingerprint.slice(0, 12)}-[\\da-f]{8}$`))
  expect(await world.run('accept', driftId, '--reason', 'Moved to another provider')).toEqual({
    code: 0,
    stdout:
      'Accepted: auth-settings-unchanged of acme providerType: "Oidc". The finding is resolved with the next evaluation.\n',
    stderr: '',
  })
  await world.run('sync')
  const ended = (await world.found('--all')).find((one) => one.fingerprint === fingerprint)
  expect(ended).toMatchObject({ state: 'resolved', resolution: 'rule_changed' })
  expect(ended?.evidence).not.toHaveProperty('driftId')
  expect((await world.run('findings', '--all')).stdout).toMatch(/^MEDIUM +resolved \(rule_changed\) +acme /m)
  world.primary.setSettings({ providerType: 'Ldap' })
  await world.run('sync')
  const again = await world.only('auth-settings-unchanged')
  expect(again.evidence).toMatchObject({ present: 'Ldap', expected: 'Oidc', acceptedFor: '[hidden]' })
  expect(await world.refused(driftId, ...reason)).toMatch(/^2 /)
})

it('answers a second acceptance of the same state as that of a hold, and records no second decision', async () => {
  const world = await drifted()
  await world.run('sync')
  const { driftId } = await world.only('role-permissions-unchanged')
  await world.run('accept', driftId, ...reason)
  const decided = async () => (await world.run('history', '--format', 'json')).stdout.split('drift_accepted').length - 1
  expect(await decided()).toBe(1)
  const accepted = `2 tenantwatch: Drift ${driftId} was accepted at 2026-03-01T12:00:00.000Z ("Agreed in ticket 4711");`
  expect(await world.refused(driftId, '--reason', 'Another reason, of ticket 4712')).toBe(
    `${accepted} the finding is resolved with the next evaluation. Nothing is left to do\n`,
  )
  expect(await world.refused(driftId)).toContain('Nothing is left to do')
  await world.run('sync')
  expect(await world.refused(driftId, ...reason)).toBe(
    `${accepted} an evaluation has applied it. Nothing is left to do\n`,
  )
  expect(await decided()).toBe(1)
  expect(await world.refused(`${driftId.slice(0, 12)}-00000000`, ...reason)).toMatch(
    /^2 .*No hold or drifted state has this id/,
  )
})

it('names the data, or the end of the hold, that an accepted finding waits for', async () => {
  const world = await drifted()
  world.write('tenantwatch.yaml', `${world.read('tenantwatch.yaml')}freshness: { roles: 1h }\n`)
  await world.run('sync')
  const { driftId } = await world.only('role-permissions-unchanged')
  world.pass(3 * hourMs)
  expect((await world.run('accept', driftId, ...reason)).stdout).toMatch(
    /: \["Api_Users_Read"\]\. The finding is resolved once its check can be evaluated, which is unknown now \(stale: the data is too old\)\.\n$/,
  )
  world.simulator.swapTenant('reader')
  expect((await world.run('sync')).stdout).toContain('tenant_changed')
  expect(await world.refused(driftId)).toContain(
    '; the finding is resolved once the hold has ended. Nothing is left to do',
  )
  await world.run('sync')
  expect((await world.only('role-permissions-unchanged')).driftId).toBe(driftId)
  world.simulator.swapTenant('reader')
  await world.run('sync')
  expect(await world.of('role-permissions-unchanged')).toEqual([])
})

it('accepts several states with one reason, and none of them if one is refused', async () => {
  const world = await drifted()
  world.primary.setSettings({ tenantName: 'new-idp', providerType: 'Oidc' })
  await world.run('sync')
  const ids = (await world.found()).flatMap((one) => driftIdIn(one) ?? [])
  expect(ids).toHaveLength(3)
  const [first = '', ...others] = ids
  const gone = `${first.slice(0, 12)}-00000000`
  expect(await world.refused(...others, gone, ...reason)).toMatch(
    new RegExp(`^2 tenantwatch: ${gone}: The finding no longer shows the state of this id; nothing is accepted\n`),
  )
  expect(await world.refused(first, 'secret-word', ...reason)).toMatch(
    /^2 tenantwatch: Id 2: No hold or drifted state has this id/,
  )
  expect(await world.refused(...ids, '--count', '3', ...reason)).toMatch(/^2 .*--count is for one hold: give one id/)
  expect(await world.refused(...ids)).toMatch(/^2 .*Give a reason with --reason TEXT/)
  expect((await world.run('history', '--format', 'json')).stdout).not.toContain('drift_accepted')
  const { code, stdout } = await world.run('accept', ...ids, ...reason)
  expect([code, stdout.match(/^Accepted: /gm)]).toEqual([0, Array(3).fill('Accepted: ')])
  await world.run('sync')
  expect((await world.found()).flatMap((one) => driftIdIn(one) ?? [])).toEqual([])
})

it('accepts what a new role grants, and that a role is gone', async () => {
  const world = await drifted()
  await world.run('sync')
  const fresh = await world.only('role-permissions-unchanged')
  expect(fresh).toMatchObject({ severity: 'high', evidence: { gained: ['Api_Users_Read'], expected: null } })
  expect(await world.run('accept', fresh.driftId.toUpperCase(), ...reason)).toMatchObject({ code: 0 })
  await world.run('sync')
  expect(await world.of('role-permissions-unchanged')).toEqual([])
  world.primary.removeRole(world.role.roleId)
  await world.run('sync')
  const gone = await world.only('role-permissions-unchanged')
  expect(gone).toMatchObject({ severity: 'medium', evidence: { lost: ['Api_Users_Read'], present: null } })
  await world.run('accept', gone.driftId, ...reason)
  await world.run('sync')
  expect(await world.of('role-permissions-unchanged')).toEqual([])
})

it('refuses a state that has changed since it was shown, and shows the present one', async () => {
  const world = await drifted()
  world.primary.setSettings({ tenantName: 'new-idp' })
  await world.run('sync')
  const check = 'role-permissions-unchanged'
  const [shown, setting] = [await world.only(check), await world.only('auth-settings-unchanged')]
  world.primary.updateRole(world.role.roleId, { permissions: ['Api_Users_Read', 'Api_Users_Create'] })
  world.primary.setSettings({ tenantName: 'evil-idp' })
  await world.run('sync')
  const present = await world.only(check)
  expect(present.fingerprint).toBe(shown.fingerprint)
  expect(present.driftId).not.toBe(shown.driftId)
  expect(
    await world.refused(shown.driftId, ...reason),
  ).toBe(`2 tenantwatch: The finding no longer shows the state of this id; nothing is accepted
  Finding   role-permissions-unchanged of acme, role-permissions ${world.role.roleId}
  Expected  null (first state mirrored)
  Present   ["Api_Users_Create","Api_Users_Read"]
  Gained    Api_Users_Create, Api_Users_Read
Review it; to accept the present state: "tenantwatch accept ${present.driftId} --reason TEXT"
`)
  const outdated = await world.refused(setting.driftId, ...reason)
  expect(outdated).toMatch(/^2 [\s\S]*Expected {2}[^\n]*\n {2}Present {3}"evil-idp"\n/)
  await world.run('sync')
  expect(await world.only(check)).toMatchObject({ state: 'open' })
  expect(await world.only('auth-settings-unchanged')).toMatchObject({ state: 'open' })
})

it('refuses a fingerprint, which names no state', async () => {
  const world = await drifted()
  await world.run('sync')
  const { fingerprint, driftId } = await world.only('role-permissions-unchanged')
  for (const id of [fingerprint, fingerprint.slice(0, 12), fingerprint.slice(0, 6), `${fingerprint.slice(0, 12)}-`])
    expect(await world.refused(id, ...reason)).toMatch(
      new RegExp(
        `^2 tenantwatch: Drift is accepted by the id of its state, which begins with the fingerprint; nothing is accepted\n[\\s\\S]*tenantwatch accept ${driftId} --reason`,
      ),
    )
  await world.run('sync')
  expect(await world.of('role-permissions-unchanged')).toHaveLength(1)
})

it('shows the id in the table, in the explanation, and on standard error beside the holds', async () => {
  const world = await drifted()
  await world.run('sync')
  const { driftId, message } = await world.only('role-permissions-unchanged')
  expect((await world.run('findings')).stdout).toMatch(new RegExp(` ${driftId}$`, 'm'))
  const { code, stdout } = await world.run('explain', driftId)
  expect([code, stdout]).toEqual([0, expect.stringContaining(`\nDrift id     ${driftId}`)])
  expect(await world.refused(driftId, '--list')).toBe(
    `2 tenantwatch: This is the id of a drifted state, which has no list of records; "tenantwatch explain ${driftId}" shows the state\n`,
  )
  const listed = await world.run('accept')
  expect([listed.code, listed.stdout]).toEqual([0, ''])
  const [none, heading, row] = listed.stderr.split('\n')
  expect([none, heading]).toEqual(['No holds', expect.stringMatching(/^DRIFT ID +SEVERITY +TENANT +CHECK +WHY$/)])
  expect(row).toBe(`${driftId}  HIGH      acme    role-permissions-unchanged  ${message}`)
  await world.run('accept', driftId, ...reason)
  const [, , next] = (await world.run('accept')).stderr.split('\n')
  expect(next).toBe(`${driftId}  HIGH      acme    role-permissions-unchanged  accepted  ${message}`)
  await world.run('sync')
  expect((await world.run('accept')).stderr).not.toContain(driftId)
})

it('refuses what is no drift, what the configuration decides and what has no reason', async () => {
  const world = await drifted()
  const { clientId } = world.primary.addApiClient({ secretExpirationDate: '2026-03-02T00:00:00Z' })
  await world.run('sync')
  const role = await world.only('role-permissions-unchanged')
  const secret = await world.only('api-client-secret-not-expiring')
  expect(secret).toMatchObject({ entity: { id: clientId }, driftId: 'none' })
  for (const given of [[], ['--reason', '...']])
    expect(await world.refused(role.driftId, ...given)).toMatch(/^2 .*Give a reason with --reason TEXT, in 10 char/)
  expect(await world.refused(secret.fingerprint, ...reason)).toMatch(
    new RegExp(`^2 .*waive this one: "tenantwatch waive ${secret.fingerprint.slice(0, 12)}"\n$`),
  )
  const waiver = `{ id: W-1, check: ${secret.check}, entity: "${clientId}", tenant: acme, owner: ops, reason: Replaced in May of this year, expires: 2026-05-01 }`
  const unwaived = world.read('tenantwatch.yaml')
  world.write('tenantwatch.yaml', `${unwaived}waivers: [${waiver}]\n`)
  expect(await world.refused(secret.fingerprint, ...reason)).toMatch(
    /^2 .*can be accepted; this one is waived already, by W-1 until 2026-05-01\n$/,
  )
  world.write('tenantwatch.yaml', unwaived)
  expect(await world.refused('0123456789ab', ...reason)).toMatch(/^2 .*No hold or drifted state has this id/)
  expect(await world.refused(role.driftId, '--count', '1', ...reason)).toMatch(
    /^2 .*No hold has this id; give it whole. --count is for holds: leave it out/,
  )
  const baseline = 'checks: { role-permissions-unchanged: { baseline: { Auditor: [Api_Roles_Read] } } }\n'
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml') + baseline)
  await world.run('sync')
  expect((await world.of('role-permissions-unchanged')).map(driftIdIn)).toEqual([null, null])
  expect(await world.refused(role.driftId, ...reason)).toMatch(
    /^2 .*change checks\.role-permissions-unchanged\.baseline/,
  )
})

it('gives a terminal the highest severity first and the command for each state, with the configuration file', async () => {
  const world = await drifted()
  world.primary.setSettings({ tenantName: 'new-idp' })
  await world.run('sync')
  const high = await world.only('role-permissions-unchanged')
  const medium = await world.only('auth-settings-unchanged')
  const texts: string[] = []
  const stderr = { isTTY: true, columns: 200, write: (text: string) => texts.push(text) > 0 }
  await world.runWith({ stderr }, 'accept', '--config', 'tenantwatch.yaml')
  const lines = texts.join('').trimEnd().split('\n')
  expect(lines.map((line) => line.split(' ')[0]).slice(2, 4)).toEqual([high.driftId, medium.driftId])
  expect(lines.slice(4)).toEqual([
    '',
    'To accept the state of a line:',
    ...[high, medium].map(({ driftId }) => `  tenantwatch accept ${driftId} --reason TEXT --config tenantwatch.yaml`),
  ])
  for (const name of ['One', 'Two']) world.primary.addRole({ name, permissions: ['Api_Users_Read'] })
  await world.run('sync')
  texts.length = 0
  await world.runWith({ stderr }, 'accept', '--config', 'tenantwatch.yaml')
  expect(texts.join('')).toMatch(
    /\n\nTo accept the state of lines:\n {2}tenantwatch accept DRIFT_ID\.\.\. --reason TEXT --config tenantwatch\.yaml\n$/,
  )
  const { text } = await shown(world, 80, 'accept', high.driftId, ...reason)
  expect(text).toContain('Accepted: role-permissions-unchanged')
  expect(wider(text, 80)).toEqual([])
})
