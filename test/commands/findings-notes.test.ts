import { expect, it } from 'vitest'
import { aDay, synced } from './support/cli.ts'
import { shown } from './support/on-terminal.ts'

async function withoutHalfOfTheUsers(more = '') {
  const world = await synced({ more })
  world.simulator.primary.removeUsers(0.5)
  world.pass(aDay)
  await world.run('sync')
  const [id = ''] = (await world.run('accept')).stdout.split(' ')
  return { ...world, id }
}

it('names each hold on standard error, and last the cause of exit code 3', async () => {
  const { run, id } = await withoutHalfOfTheUsers()
  for (const format of ['table', 'json', 'ndjson', 'csv', 'ocsf']) {
    const { code, stderr } = await run('findings', '--format', format, '--config', 'tenantwatch.yaml')
    expect([format, code, stderr]).toEqual([
      format,
      0,
      expect.stringMatching(
        new RegExp(
          `^acme users: on hold ${id}: 125 of 250 users are missing .*; see "tenantwatch accept --config tenantwatch.yaml"$`,
          'm',
        ),
      ),
    ])
  }
  const { code, stderr } = await run('findings', '--fail-on', 'critical')
  expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([
    3,
    expect.stringMatching(/^Exit code 3: acme users is on hold(, acme has \d+ unknown checks?)?$/),
  ])
})

it('names last how many findings make exit code 1', async () => {
  const world = await synced()
  const { code, stderr } = await world.run('findings', '--fail-on', 'critical')
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/(?:^|\n)Exit code 1: acme has 2 open findings at or above critical\n$/),
  ])
  expect((await world.run('findings')).stderr).not.toContain('Exit code')
})

it('fails a run for one check by holds of what the check reads only', async () => {
  const { run, id } = await withoutHalfOfTheUsers()
  const failing = (check: string) => run('findings', '--fail-on', 'info', '--check', check)
  expect(await failing('auth-mfa-policy-enabled')).toMatchObject({ code: 0, stderr: '' })
  const { code, stderr } = await failing('user-mfa-enrolled')
  expect([code, stderr]).toEqual([3, expect.stringMatching(/\nExit code 3: acme users is on hold.*\n$/)])
  expect(stderr).toContain(`on hold ${id}`)
})

it.each([
  ['the tenant is on hold; see "tenantwatch accept --config tenantwatch.yaml"', 'swapTenant'],
  ['the tenant refuses the token; see "tenantwatch doctor --config tenantwatch.yaml"', 'revokeToken'],
] as const)('says once that no check can be evaluated: %s', async (cause, fault) => {
  const world = await synced()
  world.simulator[fault]('reader')
  world.pass(aDay)
  await world.run('sync')
  const { stderr } = await world.run('findings', '--fail-on', 'high', '--config', 'tenantwatch.yaml')
  expect(stderr).toMatch(/\nExit code 3: (?:acme is on hold, )?acme has \d+ unknown checks\n$/)
  expect(stderr).toContain(`acme: no check can be evaluated: ${cause}\n`)
  expect(stderr).not.toContain('user-mfa-enrolled')
})

it.each([
  ['--format', 'json'],
  ['--format', 'table'],
  ['--group', 'entity'],
])('says on standard error how many lines --limit left out, with %s %s', async (...format) => {
  const { run } = await synced()
  const all = Number(
    (await run('findings', ...format, '--limit', '1')).stderr.match(/--limit left out (\d+) more/)?.[1],
  )
  expect(all).toBeGreaterThan(50)
  expect((await run('findings', ...format, '--limit', String(all + 1))).stderr).not.toContain('left out')
})

it('names waivers and waived findings of the wanted severities only', async () => {
  const world = await synced()
  const terms = 'reason: Sealed in the safe of the board, owner: ops, expires: 2026-12-31'
  const about = `tenant: acme, check: user-mfa-enrolled, ${terms}`
  const waivers = `waivers: [{ id: W-1, entity: "*", ${about} }, { id: W-2, entity: "999999", ${about} }]\n`
  world.write('tenantwatch.yaml', world.read('tenantwatch.yaml') + waivers)
  const said = async (...args: string[]) => (await world.run('findings', ...args)).stderr
  expect(await said('--severity', 'high')).toMatch(/acme: \d+ open findings waived/)
  expect(await said('--severity', 'critical')).not.toContain('waived;')
  expect(await said('--all')).toContain('waiver W-2')
  expect(await said('--all', '--severity', 'critical')).not.toContain('waiver W-2')
})

it('says that a check is not applicable, where only its findings are wanted', async () => {
  const world = await synced()
  world.simulator.primary.setSettings({ mfaEnabled: false, ssoEnabled: true })
  await world.run('sync')
  const { stdout, stderr } = await world.run('findings', '--check', 'user-mfa-enrolled')
  expect(stdout).toBe('No open findings match the filter.\n')
  expect(stderr).toContain('acme: user-mfa-enrolled is not applicable, so it has no open findings\n')
  expect((await world.run('findings')).stderr).not.toContain('not applicable')
})

it('names the authentication settings once, of which a tenant has one', async () => {
  const world = await synced()
  world.simulator.primary.setSettings({ mfaEnabled: false })
  await world.run('sync')
  const { text } = await shown(world, 120, 'findings', '--group', 'entity')
  const markdown = (await world.run('report', '--format', 'md')).stdout
  const html = (await world.run('report', '--format', 'html')).stdout.replaceAll(/<[^>]*>/g, '')
  for (const one of [text, markdown, html]) {
    expect(one).toContain('authentication-settings')
    expect(one).not.toContain('authentication-settings authentication-settings')
  }
})
