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

it('warns beside the result that a listen address is open to everybody', async () => {
  const { run } = await cli({ more: 'server: { listen: ":9469" }' })
  expect(await run('config', 'check')).toEqual({
    code: 0,
    stdout: 'tenantwatch.yaml is valid: 1 tenant\n',
    stderr: expect.stringMatching(
      /^Warning: status page and metrics are open to everybody who can reach \[::\]:9469.*\n$/,
    ),
  })
})

it('warns of a path that a URL of the database replaces', async () => {
  const { run, env } = await cli()
  env['TENANTWATCH_STORE_PATH'] = '/data/tenantwatch.db'
  env['TENANTWATCH_STORE_URL'] = `postgres://u:${canary}@127.0.0.1:1/d`
  const warning =
    'Warning: TENANTWATCH_STORE_PATH is ignored, because a URL of the database is set. Remove TENANTWATCH_STORE_PATH\n'
  for (const command of ['check', 'print']) expect((await run('config', command)).stderr).toBe(warning)
  expect((await run('sync')).stderr.startsWith(warning)).toBe(true)
})

it('warns once of a known document status in which a document fails no check', async () => {
  const { run } = await cli({
    tenants: [{ name: 'acme' }, { name: 'globex' }],
    more: 'documents: { knownStatuses: [Completed, Processing, Indexed] }',
  })
  expect(await run('config', 'check')).toEqual({
    code: 0,
    stdout: 'tenantwatch.yaml is valid: 2 tenants\n',
    stderr: expect.stringMatching(
      /^Warning: documents\.knownStatuses has Indexed, .*\. Add it to the list that fits\n$/,
    ),
  })
})

it('refuses a folder in the place of the database, in one sentence', async () => {
  const { run, write } = await cli({ simulator: null })
  const check = async (...options: readonly string[]) => {
    write(
      'own.yaml',
      `store: { path: . }\ntenants: [{ name: acme, baseUrl: 'https://api.example.com', auth: { token: { env: ACME_TOKEN } } }]\n`,
    )
    return run('config', 'check', '--config', 'own.yaml', ...options)
  }
  expect(await check()).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^tenantwatch: own\.yaml:1:16: `store\.path` .*it is a directory; .*\n$/),
  })
  expect(await check('--syntax-only')).toMatchObject({ code: 0 })
})

it('names a token file that is empty or has no bare token, and a program that is not there, and leaves both to the command that runs', async () => {
  const { run, write, folder, env } = await cli()
  const check = async (token: string) => {
    write('own.yaml', `tenants: [{ name: acme, baseUrl: 'https://api.example.com', auth: { token: ${token} } }]\n`)
    return run('config', 'check', '--config', 'own.yaml')
  }
  write('token.txt', ' \n')
  write('plain.sh', 'echo x')
  const wrong = (output: string) => ({ code: 2, stdout: '', stderr: expect.stringContaining(output) })
  expect(await check('{ file: token.txt }')).toEqual(wrong('names the file `token.txt`, which is empty'))
  env['PREFIXED'] = `Bearer ${canary}`
  expect(await check('{ env: PREFIXED }')).toEqual(wrong('variable `PREFIXED`, which contains a space, a control'))
  expect((await check('{ env: PREFIXED }')).stderr).not.toContain(canary)
  for (const text of [`Bearer ${canary}`, `${canary}\n${canary}\n`]) {
    write('token.txt', text)
    const { code, stderr } = await check('{ file: token.txt }')
    expect([code, stderr]).toEqual([2, expect.stringContaining('`token.txt`, which contains a space, a control')])
    expect(stderr).not.toContain(canary)
  }
  for (const program of [`no-such-${canary}`, './plain.sh', './no.sh', '/'])
    expect(await check(`{ command: ['${program}', read] }`)).toEqual(wrong('names a program that does not exist'))
  expect((await check(`{ command: ['no-such-${canary}'] }`)).stderr).not.toContain(canary)
  write('token.txt', canary)
  chmodSync(join(folder, 'plain.sh'), 0o700)
  for (const token of [
    '{ file: token.txt }',
    '{ command: [./plain.sh] }',
    '{ command: [sh, -c, x] }',
    `{ command: ['${process.execPath}'] }`,
  ])
    expect(await check(token)).toMatchObject({ code: 0 })
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

it('reads the URL of the database from a file, and runs no command for it', async () => {
  const { run, read, write, folder } = await cli()
  const withUrl = (source: string) => read('tenantwatch.yaml').replace(/^store: .*$/m, `store: { url: ${source} }`)
  write('tenantwatch.yaml', withUrl(`{ file: ${folder}/url.txt }`))
  write('url.txt', 'postgres://u:p@h/\n')
  expect(await run('config', 'check')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tenantwatch: tenantwatch\.yaml: The URL of store\.url names no user, host or/),
  })
  write('url.txt', 'postgres://u:p@h/d\n')
  expect(await run('config', 'check')).toMatchObject({ code: 0, stderr: '' })
  write('tenantwatch.yaml', withUrl('{ command: ["false"] }'))
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
  write('web.yaml', 'http_server_config: { http2: true }')
  expect(await run('config', 'check')).toMatchObject({ code: 0 })
})
