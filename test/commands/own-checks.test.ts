import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fakeIo } from '../support/fake-io.ts'
import { onPostgres } from '../support/test-database.ts'
import { type Cli, type CliOptions, cli } from './support/cli.ts'
import { movedToPostgres } from './support/on-postgres.ts'
import { reloadable } from './support/reloading.ts'

const sql = (id: string, query: string, inputs = 'users', more = '') => `-- id: ${id}
-- title: All is well with ${id}
-- severity: medium
-- inputs: ${inputs}
-- entity: user
${more}
${query}
`
/** Fails for users whose id is at most `most`. */
const upTo = (most: number) =>
  `select userId as entity, iif(userId <= ${most}, 'alarm', 'ok') as status, 'User ' || email || ' fails.' as reason from users`
const first = 'select min(userId) from users'
const ofFirst = `select userId as entity, iif(userId = (${first}), 'alarm', 'ok') as status, 'It is the first.' as reason from users`

async function world(files: Readonly<Record<string, string>>, more = '', options: CliOptions = {}): Promise<Cli> {
  const made = await cli({ ...options, more: `ownChecks: { folder: own, timeoutSeconds: 60 }\n${more}` })
  mkdirSync(join(made.folder, 'own'), { recursive: true })
  for (const [name, text] of Object.entries(files)) made.write(`own/${name}`, text)
  return onPostgres ? movedToPostgres(made) : made
}

const openOf = async ({ run }: Cli, check: string) =>
  JSON.parse((await run('findings', '--details', '--format', 'json')).stdout).filter(
    (one: { check: string }) => one.check === check,
  )

it('evaluates a check of its own like any other: findings, waiver, severity, metrics, explain', async () => {
  const waiver = `waivers:
  - { id: W-1, check: first-user, entity: "*", tenant: acme, reason: Accepted for as long as this test runs, owner: me, expires: 2027-01-01 }
`
  const made = await world(
    { 'first.sql': sql('first-user', ofFirst) },
    'checks: { first-user: { severity: critical } }',
  )
  expect((await made.run('sync')).code).toBe(0)
  const [finding, ...others] = await openOf(made, 'first-user')
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    entity: { type: 'user' },
    severity: 'critical',
    message: 'It is the first.',
    evidence: { ownCheck: 'first.sql', reason: 'It is the first.' },
  })
  const { stdout } = await made.run('metrics')
  expect(stdout).toContain('tenantwatch_check_status{tenant="acme",check="first-user",status="fail"} 1\n')
  expect(stdout).toContain('tenantwatch_findings{tenant="acme",check="first-user",severity="critical"} 1\n')
  expect(stdout).toContain('tenantwatch_check_entities{tenant="acme",check="first-user"} 250\n')
  const explained = await made.run('explain', finding.fingerprint)
  expect(explained.stdout).toContain('Passes when  All is well with first-user\n')
  made.write('tenantwatch.yaml', `${made.read('tenantwatch.yaml')}${waiver}`)
  expect((await made.run('sync')).code).toBe(0)
  expect(await openOf(made, 'first-user')).toEqual([])
  expect((await made.run('metrics')).stdout).toContain(
    'tenantwatch_findings_waived{tenant="acme",check="first-user",severity="critical"} 1\n',
  )
  made.simulator.primary.users.removeWhere(({ userId }) => `${userId}` === finding.entity.id)
  await made.run('sync', '--full', '--resource', 'users')
  const all = JSON.parse((await made.run('findings', '--all', '--format', 'json')).stdout) as (typeof finding)[]
  const ended = all.find(({ fingerprint }) => fingerprint === finding.fingerprint)
  expect(ended.resolution).toBe('entity_removed')
})

it('reports in config check and doctor the problem of each file', async () => {
  const made = await world({ 'a.sql': sql('good-one', ofFirst) })
  expect((await made.run('config', 'check')).stdout).toContain('1 tenant, 1 own check\n')
  made.write('own/b.sql', sql('bad-columns', 'select 1'))
  made.write('own/c.sql', sql('bad-input', "select fileId as entity, 'ok' as status, '' as reason from documents"))
  made.write('own/d.sql', sql('user-mfa-enrolled', ofFirst))
  const { code, stderr } = await made.run('config', 'check')
  expect([code, stderr]).toEqual([2, expect.stringMatching(/own\/d\.sql: the id user-mfa-enrolled is that of /)])
  rmSync(join(made.folder, 'own/d.sql'))
  const failing = (await made.run('config', 'check')).stderr
  expect(failing.match(/^own\/\w\.sql: /gm)).toEqual(['own/b.sql: ', 'own/c.sql: '])
  expect((await made.run('doctor')).stdout).toMatch(/own checks +b\.sql: its columns are 1/)
})

it('tries one file over the mirror, prints its rows that are not ok, and writes nothing', async () => {
  const tenants = [{ name: 'acme' }, { name: 'zeta', token: 'secondReader' as const }]
  const made = await world({ 'a.sql': sql('first-user', ofFirst) }, '', { tenants })
  await made.run('sync')
  made.write('draft.sql', sql('too-low', upTo(1010)))
  const tried = await made.run('checks', '--try', 'draft.sql', '--tenant', 'acme')
  expect(tried.code).toBe(0)
  const [heading, ...rows] = tried.stdout.trimEnd().split('\n')
  expect(heading).toMatch(/^STATUS +TENANT +ENTITY +REASON/)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row).toMatch(/^alarm +acme +\S+ +\S/)
  expect(tried.stderr).toBe(
    `acme: ${250 - rows.length} ok, ${rows.length} alarm, 0 skip, 0 error\nNothing was written.\n`,
  )
  expect(await openOf(made, 'too-low')).toEqual([])
  const json = await made.run('checks', '--try', 'own/a.sql', '--format', 'json')
  const found = JSON.parse(json.stdout)
  expect(found).toMatchObject([{ tenant: 'acme' }, { tenant: 'zeta' }])
  const opened = await openOf(made, 'first-user')
  for (const { tenant, entity, reason } of found)
    expect(opened).toContainEqual(
      expect.objectContaining({ tenant, entity: expect.objectContaining({ id: entity }), message: reason }),
    )
})

it('is unknown with its error shown, and fails sync --fail-on, while its query fails', async () => {
  const made = await world({ 'a.sql': sql('good-one', ofFirst) })
  await made.run('sync')
  made.write('own/a.sql', sql('good-one', 'select nonsense'))
  expect((await made.run('sync', '--fail-on', 'critical')).code).toBe(3)
  const { stderr } = await made.run('findings')
  expect(stderr).toContain('good-one (a.sql: no such column: nonsense)')
  expect(await openOf(made, 'good-one')).toHaveLength(1)
  const { stdout } = await made.run('metrics')
  expect(stdout).toContain('check_unknown_reason{tenant="acme",check="good-one",reason="check_failed"} 1\n')
})

it('evaluates and closes nothing while a file cannot be read, and closes findings when it is gone', async () => {
  const made = await world({ 'a.sql': sql('good-one', ofFirst), 'c.sql': sql('other-one', ofFirst) })
  await made.run('sync')
  const states = async () => JSON.parse((await made.run('findings', '--all', '--format', 'json')).stdout)
  const before = await states()
  const refused = async (problem: string) => {
    for (const args of [['sync'], ['run'], ['findings'], ['metrics'], ['report'], ['doctor'], ['config', 'check']]) {
      const { code, stderr } = await made.run(...args)
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(problem)])
    }
    expect((await made.run('checks')).stderr).toContain(problem)
  }
  made.write('own/a.sql', '-- no header')
  await refused('own/a.sql: the header has the line')
  rmSync(join(made.folder, 'own'), { recursive: true })
  await refused('own: ownChecks.folder cannot be read')
  mkdirSync(join(made.folder, 'own'))
  await refused('own: it has no *.sql file')
  made.write('own/b.sql', sql('other-one', ofFirst))
  expect(await states()).toEqual(before)
  await made.run('sync')
  expect(await openOf(made, 'good-one')).toEqual([])
  expect(await openOf(made, 'other-one')).toHaveLength(1)
  expect((await made.run('metrics')).stdout).not.toContain('check="good-one"')
  expect((await states()).filter((one: { check: string }) => one.check === 'good-one')).toMatchObject([
    { state: 'resolved', resolution: 'check_disabled' },
  ])
})

it('a daemon goes on with its checks while a reload is refused for a file that cannot be read', async () => {
  const one = await reloadable(
    { more: 'ownChecks: { folder: ., timeoutSeconds: 60 }' },
    { 'a.sql': sql('first-user', ofFirst) },
  )
  const open = 'tenantwatch_findings{tenant="acme",check="first-user",severity="medium"}'
  expect(await one.metric(open)).toBe(1)
  one.write('a.sql', '-- no header')
  expect(await one.daemon.reload()).toEqual({
    ok: false,
    text: expect.stringMatching(/^a\.sql: the header has the line/),
  })
  expect(await one.metric('tenantwatch_config_last_reload_successful')).toBe(0)
  const beside = fakeIo({ env: { ...one.env, TENANTWATCH_CONFIG: 'tenantwatch.yaml' }, folder: one.folder })
  for (const command of ['sync', 'findings', 'metrics', 'doctor'])
    expect([command, (await beside.runWith({}, command)).code]).toEqual([command, 2])
  await one.session.evaluate()
  expect(await one.metric(open)).toBe(1)
  expect(await one.metric('tenantwatch_check_status{tenant="acme",check="first-user",status="fail"}')).toBe(1)
  expect(await one.metric('tenantwatch_findings_resolved_total{tenant="acme",check="first-user"}')).toBe(0)
  rmSync(join(one.folder, 'a.sql'))
  expect(await one.daemon.reload()).toEqual({ ok: false, text: expect.stringMatching(/^\.: it has no \*\.sql file/) })
  await one.session.evaluate()
  expect(await one.metric(open)).toBe(1)
})

it('loads other files at a reload, and shows them on the page, in JSON and from the first scrape', async () => {
  const more = 'ownChecks: { folder: ., timeoutSeconds: 60 }'
  const one = await reloadable({ more }, { 'a.sql': sql('first-user', ofFirst) })
  const status = (check: string, name: string) =>
    one.metric(`tenantwatch_check_status{tenant="acme",check="${check}",status="${name}"}`)
  expect(await status('first-user', 'fail')).toBe(1)
  expect(await one.metric('tenantwatch_findings_opened_total{tenant="acme",check="first-user"}')).toBe(1)
  one.write('a.sql', sql('first-user', upTo(0)))
  one.write('b.sql', sql('second', 'select 1'))
  expect(await one.daemon.reload()).toMatchObject({ ok: true })
  expect(await one.metric('tenantwatch_findings_opened_total{tenant="acme",check="second"}')).toBe(0)
  expect(await status('second', 'unknown')).toBe(1)
  await one.session.evaluate()
  expect(await status('first-user', 'pass')).toBe(1)
  expect(await one.metric('tenantwatch_findings_resolved_total{tenant="acme",check="first-user"}')).toBe(1)
  expect(await one.get('/')).toContain('b.sql: its columns are 1')
  expect(JSON.parse(await one.get('/api/v1/checks'))).toContainEqual(
    expect.objectContaining({ check: 'second', reason: 'check_failed', problem: expect.stringContaining('b.sql') }),
  )
  expect(one.logged('Own check could not be evaluated')).toMatchObject([{ check: 'second', tenant: 'acme' }])
})

it('hides the evidence of own checks where names are hidden', async () => {
  const more = 'ownChecks: { folder: ., timeoutSeconds: 60 }'
  const query = `select email as entity, iif(userId = (${first}), 'alarm', 'error') as status, 'Phone ' || email as reason from users`
  const one = await reloadable({ more, server: 'exposeDetails: false' }, { 'a.sql': sql('names', query) })
  const found = JSON.parse(await one.get('/api/v1/findings?check=names'))
  expect(found).toMatchObject([{ check: 'names', message: '[hidden]', entity: { id: '[hidden]' } }])
  for (const path of ['/', '/api/v1/findings', '/api/v1/checks', '/api/v1/status', '/metrics'])
    expect(await one.get(path), path).not.toMatch(/Phone |@[a-z]+\.example/)
})

it('no command shows a sentence of an own check without --details, nor what a waiver of it covers', async () => {
  const query = `select email as entity, iif(userId = (${first}), 'alarm', 'ok') as status, firstName || ' persmark' as reason from users`
  const made = await world({ 'a.sql': sql('names', query) })
  const [user] = [...made.simulator.primary.users.all()]
  const rename = (firstName: string) => made.simulator.primary.users.update(user?.userId ?? 0, { firstName })
  rename('Before')
  expect((await made.run('sync', '--full')).code).toBe(0)
  const [finding] = await openOf(made, 'names')
  const terms = ['--reason', 'Accepted while this test runs', '--owner', 'me', '--expires', '2026-03-20', '--write']
  expect((await made.run('waive', finding.fingerprint, ...terms)).code).toBe(0)
  expect((await made.run('sync', '--full')).code).toBe(0)
  rename('After')
  expect((await made.run('sync', '--full')).code).toBe(0)
  const commands = [
    ['findings', '--all'],
    ['findings', '--all', '--format', 'ocsf'],
    ['explain', finding.fingerprint],
    ['expiring'],
  ]
  for (const command of commands) {
    const shown = (await made.run(...command)).stdout
    expect(shown, command.join(' ')).toMatch(/waiver lapsed|W-/)
    expect(shown, command.join(' ')).not.toMatch(/persmark|@[a-z]+\.example/)
    if (command[0] !== 'expiring') expect((await made.run(...command, '--details')).stdout).toMatch(/Before persmark/)
  }
})
