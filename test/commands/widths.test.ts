import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { aDay, cli, synced } from './support/cli.ts'
import { shown, wider } from './support/on-terminal.ts'

const tenants = [{ name: 'acme-production' }, { name: 'globex', token: 'secondReader' as const }]

it('gives a finding two lines, and those of a lapsed waiver a mark and what was accepted', async () => {
  const world = await synced({ simulator: { sizes: { users: 40, documents: 10 } } })
  const user = [...world.simulator.state().users()].find(({ state, mfaStatus }) => state === 'Active' && !mfaStatus)
  const [userId = 0, mfaAction] = [user?.userId, user?.mfaAction]
  const waiver = `{ id: W-1, check: user-mfa-enrolled, entity: "${userId}", tenant: acme, owner: ops, reason: Sealed in the safe of the bank, expires: 2026-12-31 }`
  world.write('tenantwatch.yaml', `${world.read('tenantwatch.yaml')}waivers:\n  - ${waiver}\n`)
  await world.run('sync', '--full')
  world.simulator.primary.updateUser(userId, { mfaAction: !mfaAction })
  world.pass(60_000)
  await world.run('sync', '--full')
  const { text } = await shown(world, 80, 'findings')
  expect(wider(text, 80)).toEqual([])
  const [, sentence = '', accepted] =
    /\n {2}[\da-f]{12} {2}(\[waiver lapsed\] .*\n {16}.*mfaAction \w+\.)\n {16}(.*\n {16}.*)\n/.exec(text) ?? []
  expect(sentence).toMatch(new RegExp(`^\\[waiver lapsed\\] User ${userId} `))
  expect(accepted?.replace(/\n */, ' ')).toBe(
    `waiver lapsed: the accepted facts changed (mfaAction: ${mfaAction} → ${!mfaAction})`,
  )
  expect(text).toMatch(/ {2}The secret of API client "\w.*" expired on \d{4}-\d\d-\d\d\n {16}\d\d:\d\d UTC\.\n/)
  expect((await world.run('findings')).stdout).toMatch(/^HIGH +waiver lapsed +acme .*\(waiver lapsed: .*\) +2026/m)
  const id = / ([\da-f]{12}) {2}\[waiver lapsed\]/.exec(text)?.[1] ?? ''
  // Narrower than the sentence: its second line stands below the first one.
  expect((await shown(world, 70, 'explain', id)).text).toMatch(
    / {13}waiver lapsed: the accepted facts changed \(mfaAction:\n {13}\w+ → \w+\)\n/,
  )
  const note =
    'W-1 has lapsed for this finding; remove it from the configuration, or renew it with another reason or expires to cover the finding again.'
  expect((await world.run('explain', id)).stdout).toContain(`\n\n${note}\n`)
  const text80 = await shown(world, 80, 'explain', id)
  expect(wider(text80.text.slice(text80.text.indexOf('\nW-1 has')), 80)).toEqual([])
  const config = world.read('tenantwatch.yaml')
  const terms = ['--owner', 'ops', '--reason', 'Agreed with the board', '--expires', '2026-12-31']
  const replaced = `W-${id} replaces W-1, which has lapsed; remove W-1 from the configuration.`
  expect((await world.run('waive', id, ...terms, '--write')).stdout).toContain(`\n${replaced}\n`)
  expect((await world.run('explain', id)).stdout).toContain(`\n\n${replaced}\n`)
  // A waiver of all entities covers other findings, so that it is not to be removed.
  world.write('tenantwatch.yaml', config.replace(`entity: "${userId}"`, 'entity: "*"'))
  expect((await world.run('explain', id)).stdout).not.toContain('remove it from the configuration')
})

it('adds the date of each finding from 100 columns on', async () => {
  const world = await synced({ simulator: { sizes: { users: 40, documents: 10 } } })
  const broad = (await shown(world, 100, 'findings')).text
  expect(wider(broad, 100)).toEqual([])
  expect(broad).toMatch(/\n {2}[\da-f]{12} {2}since 2026-03-01 {2}\S.*\n(?: {34}\S.*\n)?/)
  expect((await shown(world, 99, 'findings')).text).not.toContain('  since ')
})

it('says which ids are those of drift', async () => {
  const world = await synced({ simulator: { problems: false, sizes: { users: 3, documents: 3 } } })
  expect((await world.run('findings', '--limit', '1')).stdout).not.toContain('DRIFT')
  world.simulator.primary.setSettings({ ssoEnforced: false })
  world.pass(60_000)
  await world.run('sync', '--full')
  const drift = ['findings', '--check', 'auth-settings-unchanged']
  expect((await world.run(...drift)).stdout).toMatch(/ FINGERPRINT OR DRIFT ID\n.* [\da-f]{12}-[\da-f]{8}\n/)
  expect((await shown(world, 80, ...drift)).text).toMatch(
    /^\w+ +auth-settings-unchanged, by drift id\n {2}[\da-f]{12}-[\da-f]{8} {2}The authentication setting .*\n {25}\S/,
  )
})

it('never cuts the id of a check or an entity in groups', async () => {
  const world = await synced({ tenants })
  for (const grouping of ['check', 'entity']) {
    const all = JSON.parse((await world.run('findings', '--group', grouping, '--format', 'json')).stdout)
    for (const columns of [80, 160]) {
      const { text } = await shown(world, columns, 'findings', '--group', grouping)
      expect(wider(text.slice(0, text.indexOf('\n\n')), columns)).toEqual([])
      expect(text).not.toContain('…')
      for (const { check, entity } of all) expect(text).toMatch(new RegExp(`(^| )${check ?? entity.id}( |\n)`, 'm'))
    }
  }
})

it('wraps what expires rather than cutting names and checks', async () => {
  const waiver = '{ id: W-1, check: user-mfa-enrolled, entity: "*", tenant: globex, owner: sec'
  const world = await synced({
    tenants,
    more: `waivers: [${waiver}, reason: Accepted until the roll-out ends, expires: 2026-03-20 }]`,
  })
  const { text } = await shown(world, 80, 'expiring')
  expect(wider(text, 80)).toEqual([])
  expect(text).toMatch(/\n2026-.*\n {4}Retired monitor\n/)
  expect(text).toContain('\n    user-mfa-enrolled *\n')
  const guid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/
  expect([text, (await shown(world, 80, 'expiring', '--wide')).text].map((one) => guid.test(one))).toEqual([
    false,
    true,
  ])
  expect(text).toMatch(/\nTo see whole ids: tenantwatch expiring --wide\n$/)
})

it('fits quarantined records, and leads to the columns that it leaves out', async () => {
  const world = await synced({ simulator: { sizes: { users: 20, documents: 10 } } })
  const [user] = [...world.simulator.state().users()]
  const [document] = [...world.simulator.state().documents()]
  world.simulator.primary.updateUser(user?.userId ?? 0, { state: 7 as never })
  world.simulator.primary.updateDocument(document?.fileId ?? '', { createdAt: 'yesterday afternoon, as far as known' })
  world.pass(aDay)
  await world.run('sync', '--full')
  const all = (await world.run('doctor', '--quarantine')).stdout
  for (const columns of [80, 60]) {
    const { text } = await shown(world, columns, 'doctor', '--quarantine')
    expect(wider(text, columns)).toEqual([])
    expect([text.includes('REQUEST ID'), text.includes('SINCE')]).toEqual([false, columns === 80])
    expect(text).toMatch(new RegExp(`\nacme +documents +${document?.fileId}\\s`))
    expect(text.replace(/\n +/g, ' ')).toMatch(/ createdAt is /)
    expect(text).toMatch(/\nTo see all columns:\s+tenantwatch doctor --quarantine --format json\n$/)
  }
  expect((await shown(world, 200, 'doctor', '--quarantine')).text).toBe(all)
})

it('fits what doctor finds, with long keys and paths', async () => {
  const folder = 'a-folder-with-a-long-name/and-another-one-inside-of-it-with-a-longer-name'
  const world = await cli({ more: 'checks: { user-mfa-enrolled: { enrolledWhen: "mfaStatus or not mfaAction" } }' })
  world.simulator.revokePermission('reader', 'Api_Documents_Read')
  world.write(
    'own.yaml',
    world
      .read('tenantwatch.yaml')
      .replace(/store: .*/, `store: { path: ${join(dirname(world.store), folder)}/mirror.db }`),
  )
  await world.run('sync', '--config', 'own.yaml')
  const { text } = await shown(world, 80, 'doctor', '--config', 'own.yaml')
  // The path stays whole.
  expect(wider(text, 80)).toEqual([expect.stringMatching(/ database {2}\S+\/mirror\.db,$/)])
  expect(text.replace(/\n +/g, ' ')).toContain('lacks the permission Api_Documents_Read')
  expect(text).toContain('\nenrolledWhen mfaStatus or not mfaAction; policy on\nSTATE ')
  expect((await world.run('doctor', '--config', 'own.yaml')).stdout).toMatch(/ documents +Api_Documents_Read +missing/)
})
