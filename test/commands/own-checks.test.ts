import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { onPostgres } from '../support/test-database.ts'
import { type Cli, cli, synced } from './support/cli.ts'
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

async function world(files: Readonly<Record<string, string>>, more = '', start: typeof cli = synced): Promise<Cli> {
  const first = await start({ more: `ownChecks: { folder: own, timeoutSeconds: 60 }\n${more}` })
  const made = onPostgres ? movedToPostgres(first) : first
  mkdirSync(join(made.folder, 'own'), { recursive: true })
  for (const [name, text] of Object.entries(files)) made.write(`own/${name}`, text)
  return made
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
})

it('reports in config check and doctor the problem of each file', async () => {
  const made = await world({ 'a.sql': sql('good-one', ofFirst) }, '', cli)
  expect((await made.run('config', 'check')).stdout).toContain('1 tenant, 1 own check\n')
  made.write('own/b.sql', sql('bad-columns', 'select 1'))
  made.write('own/c.sql', sql('bad-input', "select fileId as entity, 'ok' as status, '' as reason from documents"))
  made.write('own/d.sql', sql('user-mfa-enrolled', ofFirst))
  const { code, stderr } = await made.run('config', 'check')
  expect([code, stderr.match(/^own: \w\.sql: /gm)]).toEqual([2, ['own: b.sql: ', 'own: c.sql: ', 'own: d.sql: ']])
  expect((await made.run('doctor')).stdout).toMatch(/own checks +b\.sql: its columns are 1/)
  rmSync(join(made.folder, 'own'), { recursive: true })
  const gone = await made.run('config', 'check')
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('`ownChecks.folder`')])
})

it('tries one file over the mirror, prints its rows that are not ok, and writes nothing', async () => {
  const tenants = [{ name: 'acme' }, { name: 'zeta', token: 'secondReader' as const }]
  const made = await world({ 'a.sql': sql('first-user', ofFirst) }, '', (options) => synced({ ...options, tenants }))
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

it('is unknown with its error shown, and fails sync --fail-on, while a check is broken', async () => {
  const made = await world({ 'a.sql': sql('good-one', ofFirst) })
  await made.run('sync')
  made.write('own/a.sql', sql('good-one', 'select nonsense'))
  made.write('own/b.sql', 'no header')
  expect((await made.run('sync', '--fail-on', 'critical')).code).toBe(3)
  const { stderr } = await made.run('findings')
  expect(stderr).toContain('good-one (a.sql: no such column: nonsense)')
  expect(await openOf(made, 'good-one')).toHaveLength(1)
  const { stdout } = await made.run('metrics')
  for (const check of ['good-one', 'own-file-b'])
    expect(stdout).toContain(`check_unknown_reason{tenant="acme",check="${check}",reason="check_failed"} 1\n`)
})

it('keeps findings while their file may be one that cannot be read, and closes them when it is gone', async () => {
  const made = await world({ 'a.sql': sql('good-one', ofFirst) })
  await made.run('sync')
  made.write('own/a.sql', 'no header')
  await made.run('sync')
  expect(await openOf(made, 'good-one')).toHaveLength(1)
  rmSync(join(made.folder, 'own'), { recursive: true })
  await made.run('sync')
  expect(await openOf(made, 'good-one')).toHaveLength(1)
  expect((await made.run('findings')).stderr).toMatch(/own-checks-folder.*check_failed/)
  mkdirSync(join(made.folder, 'own'))
  await made.run('sync')
  expect(await openOf(made, 'good-one')).toHaveLength(1)
  made.write('own/b.sql', sql('another', ofFirst))
  await made.run('sync')
  expect(await openOf(made, 'good-one')).toEqual([])
  expect((await made.run('metrics')).stdout).not.toContain('check="good-one"')
  const all = JSON.parse((await made.run('findings', '--all', '--format', 'json')).stdout)
  expect(all.filter((one: { check: string }) => one.check === 'good-one')).toMatchObject([
    { state: 'resolved', resolution: 'check_disabled' },
  ])
})

it('loads other files at a reload, and shows them on the page, in JSON and from the first scrape', async () => {
  const more = 'ownChecks: { folder: ., timeoutSeconds: 60 }'
  const one = await reloadable({ more }, { 'a.sql': sql('first-user', ofFirst) })
  const status = (check: string, name: string) =>
    one.metric(`tenantwatch_check_status{tenant="acme",check="${check}",status="${name}"}`)
  expect(await status('first-user', 'fail')).toBe(1)
  expect(await one.metric('tenantwatch_findings_opened_total{tenant="acme",check="first-user"}')).toBe(1)
  one.write('a.sql', sql('first-user', upTo(0)))
  one.write('b.sql', sql('second', 'select 1; select 2'))
  expect(await one.daemon.reload()).toMatchObject({ ok: true })
  expect(await one.metric('tenantwatch_findings_opened_total{tenant="acme",check="second"}')).toBe(0)
  expect(await status('second', 'unknown')).toBe(1)
  await one.session.evaluate()
  expect(await status('first-user', 'pass')).toBe(1)
  expect(await one.metric('tenantwatch_findings_resolved_total{tenant="acme",check="first-user"}')).toBe(1)
  expect(await one.get('/')).toContain('b.sql: there is more than one statement')
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
  const terms = [
    '--reason',
    'Accepted for as long as this test runs',
    '--owner',
    'me',
    '--expires',
    '2026-03-20',
    '--write',
  ]
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
