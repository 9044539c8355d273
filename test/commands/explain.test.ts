import { expect, it } from 'vitest'
import { fingerprintOf } from '../../src/model/finding.ts'
import type { Explanation } from '../../src/report/explanation.ts'
import { aDay, synced } from './support/cli.ts'

async function explained() {
  const world = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  const [user] = [...world.simulator.primary.users.all()].filter(({ state }) => state === 'Active')
  const userId = user?.userId ?? 0
  for (const mfaStatus of [true, false, true, false]) {
    world.simulator.primary.users.update(userId, { mfaStatus })
    world.pass(aDay)
    await world.run('sync', '--full')
  }
  const found = JSON.parse((await world.run('findings', '--format', 'json')).stdout) as Explanation['finding'][]
  const finding = found.find(({ check, entity }) => check === 'user-mfa-enrolled' && entity.id === String(userId))
  if (finding === undefined) throw new Error('The user has no finding')
  const explain = async (...args: string[]) =>
    JSON.parse((await world.run('explain', finding.fingerprint, '--format', 'json', ...args)).stdout) as Explanation
  return { ...world, userId, finding, explain }
}

it('reports when the configured thresholds differ from the evaluated ones, and that a tenant is gone', async () => {
  const { explain, run, finding, read, write } = await explained()
  const base = read('tenantwatch.yaml')
  write('tenantwatch.yaml', `${base}checks: { user-mfa-enrolled: { enrolledWhen: mfaAction } }\n`)
  expect((await explain()).rule?.configured).toMatchObject({
    options: { enrolledWhen: 'mfaAction' },
    asEvaluated: false,
  })
  const { stdout } = await run('explain', finding.fingerprint.slice(0, 8))
  expect(stdout).toContain('Configured   enrolledWhen "mfaAction"\n             changed since the last evaluation\n')
  write('tenantwatch.yaml', base.replace('name: acme', 'name: other'))
  expect((await explain()).rule?.configured).toBeNull()
})

it('keeps the life of a finding whose entity is gone, and has the record of a client whose id is no GUID', async () => {
  const { explain, simulator, run, pass, userId } = await explained()
  simulator.primary.users.remove(userId)
  const odd = { raw: { clientId: 'Deploy-Client' }, secretExpirationDate: '2026-02-01T00:00:00Z' }
  simulator.primary['api-clients'].add(odd)
  pass(aDay)
  await run('sync', '--full')
  const { record, life, changes } = await explain()
  expect(record).toBeNull()
  expect(life.at(-1)).toMatchObject({ event: 'resolved', resolution: 'entity_removed' })
  expect(changes.at(-1)).toMatchObject({ change: 'removed' })
  const of = { tenant: 'acme', check: 'api-client-secret-not-expired', entityType: 'api-client' }
  const { stdout } = await run('explain', fingerprintOf({ ...of, entityId: odd.raw.clientId }), '--format', 'json')
  expect(JSON.parse(stdout).record.fields).toMatchObject(odd.raw)
})

it('accepts an unambiguous prefix and refuses any other', async () => {
  const { run, finding } = await explained()
  expect((await run('explain', finding.fingerprint.slice(0, 6).toUpperCase())).code).toBe(0)
  for (const given of ['f', 'zzzzzz']) expect((await run('explain', given)).code).toBe(2)
})

it('says which facts of a finding changed, from which value to which, and the same words once', async () => {
  const { run, simulator, pass, userId, finding } = await explained()
  for (const mfaAction of [true, false, true]) {
    simulator.primary.users.update(userId, { roleName: `Role ${mfaAction}` })
    pass(aDay)
    await run('sync', '--full')
  }
  const [, history = ''] = (await run('explain', finding.fingerprint)).stdout.split('History of the finding\n')
  const lines = history
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^ *\S+ */, ''))
  const changed = lines.filter((line) => line.startsWith('changed'))
  expect(changed).toEqual([
    expect.stringMatching(/^changed, high: roleName ".*" -> "Role true"$/),
    'changed, high: roleName "Role true" -> "Role false"',
    'changed, high: roleName "Role false" -> "Role true"',
  ])
})
