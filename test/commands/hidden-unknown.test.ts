import { expect, it } from 'vitest'
import { synced } from './support/cli.ts'

const simulator = { problems: false, sizes: { users: 3, documents: 3 } }

it('does not look better by a low finding: a record that cannot be read may fail with a high one', async () => {
  const world = await synced({ simulator })
  const { users } = world.simulator.primary
  const asked = async () => {
    await world.run('sync', '--full')
    return (await world.run('findings', '--check', 'user-mfa-enrolled', '--fail-on', 'high')).code
  }
  for (const { userId } of [...users.all()]) users.update(userId, { mfaStatus: true })
  users.add({ mfaStatus: 'yes' as never, state: 'Active' })
  expect(await asked()).toBe(3)
  users.add({ mfaStatus: false, state: 'Invited' })
  expect(await asked()).toBe(3)
  const { stderr } = await world.run('findings', '--min-severity', 'high', '--check', 'user-mfa-enrolled')
  expect(stderr).toMatch(/^No open findings are known\.$.*more may fail user-mfa-enrolled \(quarantined/ms)
})

it('does not look better by a waiver: others that could not be evaluated make the check unknown as before', async () => {
  const check = 'api-client-least-privilege'
  const world = await synced({ simulator })
  const { primary } = world.simulator
  const asked = async () => {
    await world.run('sync')
    const { stdout, stderr, code } = await world.run('findings', '--check', check, '--fail-on', 'info')
    const metrics = (await world.run('metrics')).stdout
    const [, status] = new RegExp(`check_status\\{.*check="${check}",status="(\\w+)"\\} 1`).exec(metrics) ?? []
    return { code, status, text: stdout + stderr }
  }
  primary['api-clients'].add({ roleName: null as never })
  expect(await asked()).toMatchObject({ code: 3, status: 'unknown' })
  const role = primary.roles.add({ name: 'Importer', permissions: ['Api_Users_Create'] })
  const { clientId } = primary['api-clients'].add({ roleName: role.name })
  expect(await asked()).toMatchObject({ code: 1, status: 'fail' })
  const terms = 'owner: ops, reason: The importer creates users until May, expires: 2026-04-30'
  const waiver = `waivers: [{ id: W-1, check: ${check}, entity: "${clientId}", tenant: acme, ${terms} }]\n`
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml') + waiver)
  const after = await asked()
  expect(after).toMatchObject({ code: 3, status: 'unknown' })
  expect(after.text).toContain('cannot be evaluated')
})
