import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { checks } from '../../src/checks/index.ts'
import { isService, reloads } from '../../src/commands/program.ts'
import { cli, synced } from './support/cli.ts'

const commands = [
  'run',
  'sync',
  'findings',
  'explain',
  'history',
  'report',
  'verify',
  'expiring',
  'export',
  'accept',
  'waive',
  'purge',
  'checks',
  'doctor',
  'metrics',
  'rules',
  'dashboards',
  'backup',
  'migrate-store',
  'config',
  'config init',
  'config check',
  'config print',
  'config schema',
  'completion',
  'simulate',
  'demo',
]

it('lists every command in its help', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run('--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const listed = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name)
  expect(listed).toEqual([...commands.filter((name) => !name.includes(' ')), 'help'])
})

it('has a row of the README for every command', () => {
  const [, section = ''] = /\n## Commands\n([\s\S]*?)\n## /.exec(readFileSync('README.md', 'utf8')) ?? []
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
  const described = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)/g)].map(([, name = '']) => name))
  expect(described.toSorted()).toEqual(commands.filter((name) => !name.includes(' ')).toSorted())
})

it.each(commands)('shows an example in the help of %s', async (command) => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run(...command.split(' '), '--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`^Examples?:\\n(  .*\\n)*.*tenantwatch ${command}`, 'm'))
  expect(stdout.includes('--config <file>')).toBe(!['completion', 'demo', 'simulate'].includes(command))
})

it('exits with 2 on unknown arguments, with a hint and without a stack', async () => {
  const { run } = await cli()
  for (const [args, output] of [
    [['frobnicate'], 'Unknown command "frobnicate"; expected one of run, sync, findings,'],
    [['sync', '--bogus'], 'Unknown option --bogus\n(tenantwatch sync --help shows how to use it)'],
    [['help', 'findng'], 'Unknown command "findng"; did you mean findings?'],
    [['snyc'], 'Unknown command "snyc"; did you mean sync?'],
    [['findings', '--sev', 'high'], 'Unknown option --sev; did you mean --severity?'],
    [['sync', '--tenant', 'acme', '--fulll'], 'Unknown option --fulll; did you mean --full?'],
    [['sync', '--full=yes'], 'The option --full takes no value'],
    [['config', 'verify'], 'Unknown command "verify"; expected one of init, schema, check, print'],
    [['sync', 'users'], 'Too many arguments: sync takes no arguments besides options, but got 1'],
    [['backup', 'a', 'b'], 'Too many arguments: backup takes 1 argument (<file>) besides options, but got 2'],
    [['backup'], 'Missing argument <file>: path of the backup'],
    [['sync', '--tenant'], "Option '--tenant <name>' argument missing"],
    [['findings', '--limit', '-1'], 'Invalid value of --limit "-1": expected a whole number, 1 or more'],
    [['findings', '--limit', '0'], 'Invalid value of --limit "0": expected a whole number, 1 or more'],
    [['demo', '--users', '-1'], 'Invalid value of --users "-1": expected a whole number, 0 or more'],
    [['simulate', '--port', 'http'], 'Invalid value of --port "http": expected a whole number'],
    [['checks', '--format', 'xml'], 'Unknown format "xml": expected one of table, json'],
  ] as const) {
    const { code, stdout, stderr } = await run(...args)
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
    expect(stderr).toContain(output)
    expect(stderr).not.toMatch(/^ +at /m)
  }
})

it.each([
  ['findings', '--tenant', 'acme', '--check', 'x', '--tenant=acme'],
  ['findings', '--fail-on', 'low', '--fail-on', 'critical'],
  ['sync', '--full', '--full'],
  ['--config', 'a.yaml', 'config', 'check', '--config', 'b.yaml'],
  ['demo', '--port', '0', '--port', '0'],
])('refuses an option that is given twice: %s %s', async (...args) => {
  const { run } = await cli({ simulator: null })
  const twice = args.find((word, i) => word.startsWith('--') && args.slice(i + 1).some((one) => one.startsWith(word)))
  expect(await run(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tenantwatch: The option ${twice} is given more than once; give it once\n`,
  })
})

const secret = 'CANARY-4f7d1c9be02a6d53'

const misplaced: readonly (readonly string[])[] = [
  [secret],
  ['sync', secret],
  ['sync', '--full', '--', secret],
  ['sync', '--token', secret],
  ['sync', `--token=${secret}`],
  ['sync', `--tokn=${secret}\n(Did you mean ${secret}?)`],
  ['sync', `-${secret}`],
  ['sync', `--${secret}`],
  ['sync', `--full=${secret}`],
  ['sync', `-h${secret}`],
  ['sync', '--tenant', secret],
  ['sync', '--resource', secret],
  ['sync', '--fail-on', secret],
  ['run', secret],
  ['demo', `--users=${secret}`],
  ['simulate', secret],
  ['simulate', '--port', secret],
  ['simulate', '--port', `' is invalid. ${secret}' is invalid. expected ${secret}`],
  ['simulate', '--reading', `${secret}=1`],
  ['findings', '--format', secret],
  ['findings', '--check', secret],
  ['findings', '--tenant', secret],
  ['rules', '--job', `${secret}"`],
  ['rules', '--grafana', secret],
  ['dashboards', secret],
  ['explain', secret],
  ['export', secret],
  ['export', 'users', '--tenant', secret],
  ['accept', secret, '--reason', 'because'],
  ['backup', 'here.db', secret],
  ['config', secret],
  ['config', 'print', secret],
  ['checks', '--format', `"${secret}"`],
]

it('does not repeat unknown arguments, because they may be secrets', async () => {
  const { run } = await synced()
  for (const args of misplaced) {
    const { code, stdout, stderr } = await run(...args)
    expect([args, code, stdout]).toEqual([args, 2, ''])
    expect(stderr).toMatch(/^tenantwatch: \S.{10,}/)
    expect([args, stderr.includes(secret)]).toEqual([args, false])
  }
})

it.each([
  ['run', true],
  ['--config run sync', false],
  ['--config=x.yaml run', true],
  ['--config x.yaml demo --once', true],
  ['sync --tenant demo', false],
  ['export users --tenant run', false],
  ['--help', false],
])('knows of "%s" whether to be stopped is how it ends', (line, expected) => {
  expect(isService(line.split(' '))).toBe(expected)
})

it.each([
  ['run', true],
  ['--config run sync', false],
  ['--config x.yaml run', true],
  ['demo', false],
  ['export users --tenant run', false],
])('knows of "%s" whether SIGHUP makes it load its configuration again', (line, expected) => {
  expect(reloads(line.split(' '))).toBe(expected)
})

it('ends the log of run with a JSON line, and with text on a terminal', async () => {
  const { run, runWith, store } = await synced()
  writeFileSync(store, 'x'.repeat(5000))
  const { code, stderr } = await run('run')
  expect(code).toBe(3)
  const [, last = ''] = /.*\n(.+)\n$/s.exec(stderr) ?? []
  expect(JSON.parse(last)).toMatchObject({ level: 60, msg: expect.stringMatching(/^The database .* is damaged/) })
  expect((await run('findings')).stderr).toMatch(/^tenantwatch: The database .* is damaged/)
  const texts: string[] = []
  await runWith({ stderr: { isTTY: true, write: (text: string) => texts.push(text) > 0 } }, 'run')
  expect(texts.join('')).toMatch(/^tenantwatch: The database/m)
})

it('explains where secrets belong when one is given as an option', async () => {
  const { run } = await cli()
  const { stderr } = await run('sync', '--token', secret)
  expect(stderr).toMatch(/^tenantwatch: Unknown option --token; secrets belong in the conf/)
})

it('shows its help on standard error and ends with 2 without a command', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run()
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('Usage: tenantwatch')
})

it('prints its version', async () => {
  const { run } = await cli()
  expect((await run('--version')).stdout).toBe(`${manifest.version}\n`)
})

it('takes --config before and after the command', async () => {
  const { run, env } = await cli()
  delete env['TENANTWATCH_CONFIG']
  expect(await run('--config', 'tenantwatch.yaml', 'config', 'check')).toMatchObject({ code: 0 })
  expect(await run('config', 'check', '--config', 'tenantwatch.yaml')).toMatchObject({ code: 0 })
})

it('prints the catalogue of checks, for people and for machines', async () => {
  const { run } = await cli()
  const ids = checks.map(({ id }) => id)
  const lines = (await run('checks')).stdout.trimEnd().split('\n')
  expect(lines.slice(1, ids.length + 1).map((line) => line.split(' ')[0])).toEqual(ids)
  expect(lines.slice(ids.length + 1)).toEqual([
    expect.stringMatching(/^auth-settings-unchanged, role-permissions-unchanged: No baseline is configured: .*\.$/),
    expect.stringMatching(/^user-mfa-enrolled: Assumed: /),
  ])
  const facts = JSON.parse((await run('checks', '--format', 'json')).stdout)
  expect(facts.find(({ id }: { id: string }) => id === 'user-mfa-enrolled').assumptions).toMatchObject([
    { tenant: 'acme' },
  ])
  expect(facts.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(facts[0]).toMatchObject({
    title: expect.any(String),
    risk: expect.any(String),
    remediation: expect.any(String),
  })
})

it('writes the exposition of the mirror, without series that only a daemon has', async () => {
  const { run } = await synced()
  const { code, stdout, stderr } = await run('metrics')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^tenantwatch_findings\{.*check="api-client-secret-not-expired",severity="critical"\} 2$/m)
  expect(stdout).toMatch(/^tenantwatch_mirror_records\{tenant="acme",resource="users"\} 250$/m)
  expect(stdout).toMatch(/^tenantwatch_mfa_policy_enabled\{tenant="acme"\} 1$/m)
  expect(stdout).not.toMatch(/^process_/m)
  expect(stdout.endsWith('\n')).toBe(true)
})

it('never puts names of persons, e-mails or file names into the exposition', async () => {
  const { run, simulator } = await synced()
  const { stdout } = await run('metrics')
  const state = simulator.state()
  for (const { email, lastName } of state.users()) {
    expect(stdout).not.toContain(email)
    expect(stdout.split(/[^\p{L}'-]+/u)).not.toContain(lastName)
  }
  for (const { filename } of state.documents()) expect(stdout).not.toContain(filename)
})

it('exits with 3 and one sentence when it is stopped during work', async () => {
  const { runWith, simulator } = await cli()
  const stopping = new AbortController()
  simulator.onRequest(() => stopping.abort(new DOMException('The program is stopping', 'AbortError')))
  const { code, stderr } = await runWith({ stop: stopping.signal }, 'sync')
  expect(code).toBe(3)
  expect(stderr).not.toMatch(/^ +at /m)
})

it('reports in one sentence that a port of the simulator is taken', async () => {
  const { run } = await cli()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sentence = `tenantwatch: Cannot listen on 127.0.0.1:${port}: the port is taken; change --port or --control-port\n`
  const output = { code: 3, stdout: '', stderr: sentence }
  expect(await run('simulate', '--port', `${port}`, '--control-port', '0')).toEqual(output)
  expect(await run('simulate', '--port', '0', '--control-port', `${port}`)).toEqual(output)
  await new Promise((resolve) => server.close(resolve))
})
