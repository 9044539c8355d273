import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cli, synced } from './support/cli.ts'

const canary = 's3cr3t-canary'

it('reports that a configuration is valid, and its source', async () => {
  const { run, env, simulator } = await cli()
  expect(await run('config', 'check')).toEqual({ code: 0, stdout: 'tenantwatch.yaml is valid: 1 tenant\n', stderr: '' })
  delete env['TENANTWATCH_CONFIG']
  env['TENANTWATCH_BASE_URL'] = simulator.baseUrl
  env['TENANTWATCH_TOKEN'] = canary
  expect((await run('config', 'check')).stdout).toBe('environment is valid: 1 tenant\n')
})

it.each([
  ['listen', 'server: { listen: ":9469" }', /open to everybody who can reach \[::\]:9469/],
  ['knownStatuses', 'documents: { knownStatuses: [Completed, Processing, Indexed] }', /has Indexed, .* list that fits/],
])('warns once beside the result: %s', async (_, more, warning) => {
  const { run } = await cli({ tenants: [{ name: 'acme' }, { name: 'globex' }], more })
  const { code, stdout, stderr } = await run('config', 'check')
  expect([code, stdout]).toEqual([0, 'tenantwatch.yaml is valid: 2 tenants\n'])
  expect(stderr).toMatch(/^Warning: .*\n$/)
  expect(stderr).toMatch(warning)
})

it('warns of a path that a URL of the database replaces', async () => {
  const { run, env } = await cli()
  env['TENANTWATCH_STORE_PATH'] = '/data/tenantwatch.db'
  env['TENANTWATCH_STORE_URL'] = `postgres://u:${canary}@127.0.0.1:1/d`
  for (const command of ['config check', 'config print', 'sync'])
    expect((await run(...command.split(' '))).stderr).toMatch(/^Warning: TENANTWATCH_STORE_PATH is ignored/)
})

it.each([
  ['{ file: empty.txt }', 2],
  ['{ file: lines.txt }', 2],
  ['{ env: PREFIXED }', 2],
  [`{ command: ['no-such-${canary}'] }`, 2],
  [`{ command: ['./plain.sh'] }`, 2],
  [`{ command: ['/'] }`, 2],
  ['{ file: token.txt }', 0],
  ['{ command: [./program.sh] }', 0],
  ['{ command: [sh, -c, x] }', 0],
])('tells whether a token can come from %s (exit %i), and shows nothing of it', async (token, expected) => {
  const { run, write, folder, env } = await cli({ simulator: null })
  env['PREFIXED'] = `Bearer ${canary}`
  const texts = { empty: ' \n', prefixed: `Bearer ${canary}`, lines: `${canary}\n${canary}\n`, token: canary }
  for (const [name, text] of Object.entries(texts)) write(`${name}.txt`, text)
  for (const name of ['plain.sh', 'program.sh']) write(name, 'echo x')
  chmodSync(join(folder, 'program.sh'), 0o700)
  write('own.yaml', `tenants: [{ name: acme, baseUrl: 'https://api.example.com', auth: { token: ${token} } }]\n`)
  const { code, stderr } = await run('config', 'check', '--config', 'own.yaml')
  expect(code).toBe(expected)
  expect(stderr).not.toContain(canary)
})

it('prints no token that stands where the name of its variable belongs', async () => {
  const { run, read, write } = await cli({ simulator: null })
  const pasted = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  write('tenantwatch.yaml', read('tenantwatch.yaml').replace('ACME_TOKEN', pasted))
  const { code, stdout, stderr } = await run('config', 'print')
  expect([code, stdout + stderr]).toEqual([2, expect.not.stringContaining(pasted)])
})

it('needs no token and no variable for commands that send no request', async () => {
  const { run, env, write, read } = await synced()
  const { stdout } = await run('findings', '--format', 'json')
  delete env['ACME_TOKEN']
  expect(await run('findings', '--format', 'json')).toMatchObject({ code: 0, stdout })
  for (const command of ['accept', 'expiring', 'history', 'checks', 'metrics', 'report']) {
    expect([command, (await run(command)).code]).toEqual([command, 0])
  }
  write('tenantwatch.yaml', read('tenantwatch.yaml').replace('{ env: ACME_TOKEN }', '{ file: no/such/file }'))
  expect(await run('findings', '--format', 'json')).toMatchObject({ code: 0, stdout })
  expect(await run('sync')).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') })
})

it('checks the syntax alone of a file that belongs to another machine', async () => {
  const { run, env, write, read } = await cli({
    more: `ownChecks: { folder: no/such/folder }
checks: { a-check-of-theirs: { severity: low } }
server: { webConfig: no/such/web.yaml, listen: ":9469" }`,
  })
  delete env['ACME_TOKEN']
  const text = read('tenantwatch.yaml').replace(/store: .*/, 'store: { url: { file: no/such/url } }')
  write('tenantwatch.yaml', text)
  const whole = await run('config', 'check')
  expect([whole.code, whole.stderr]).toEqual([2, expect.stringContaining('`ACME_TOKEN`, which is not set')])
  expect(await run('config', 'check', '--syntax-only')).toEqual({
    code: 0,
    stdout: 'tenantwatch.yaml is valid: 1 tenant (syntax only)\n',
    stderr: '',
  })
  write('tenantwatch.yaml', text.replace('{ webConfig: no/such/web.yaml, ', '{ '))
  expect((await run('config', 'check', '--syntax-only')).stderr).toMatch(/^Warning: status page and metrics are open /)
  write('tenantwatch.yaml', text.replace('baseUrl', 'baseURL'))
  expect(await run('config', 'check', '--syntax-only')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('tenants[0].baseURL'),
  })
})

it('reports a variable of the URL that is not set as a mistake of the configuration, in each command', async () => {
  const { run, read, write } = await cli()
  write('tenantwatch.yaml', read('tenantwatch.yaml').replace(/^store: .*$/m, 'store: { url: { env: NO_URL } }'))
  for (const args of [['config', 'check'], ['findings'], ['purge', 'gone'], ['accept'], ['sync'], ['run']]) {
    const { code, stderr } = await run(...args)
    expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/store\.url.*NO_URL.*is not set/)])
  }
})

it('runs no command for the URL of the database', async () => {
  const { run, read, write } = await cli()
  const store = `store: { url: { command: ["false"] } }`
  write('tenantwatch.yaml', read('tenantwatch.yaml').replace(/^store: .*$/m, store))
  expect(await run('config', 'check')).toMatchObject({ code: 0, stderr: '' })
})

it('checks the web configuration as well, while other commands do not need it', async () => {
  const { run, write } = await cli({ more: 'server: { webConfig: web.yaml }' })
  write('web.yaml', 'basic_auth_users: { alice: letmein }')
  const checked = await run('config', 'check')
  expect(checked).toMatchObject({ code: 2, stdout: '' })
  expect(checked.stderr).toMatch(
    /^tenantwatch: web\.yaml:1:\d+: `basic_auth_users\.alice` is a string; expected a bcrypt hash/,
  )
  expect(checked.stderr).not.toContain('letmein')
  expect((await run('run')).code).toBe(2)
  expect((await run('sync')).code).toBe(0)
  write('web.yaml', 'tls_server_config: {}')
  expect(await run('config', 'check')).toMatchObject({ code: 0 })
})
