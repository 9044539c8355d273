import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { checks } from '../../src/checks/index.ts'
import { cli, synced } from './support/cli.ts'

const commands = [
  'run',
  'sync',
  'findings',
  'explain',
  'export',
  'accept',
  'checks',
  'doctor',
  'metrics',
  'backup',
  'config',
  'config check',
  'config print',
  'simulate',
  'demo',
]

it('lists every command in its help', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run('--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const listed = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
  expect(listed).toEqual([...commands.filter((name) => !name.includes(' ')), 'help'])
})

it.each(commands)('shows an example in the help of %s', async (command) => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run(...command.split(' '), '--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`^Examples?:\\n(  .*\\n)*.*tenantwatch ${command}`, 'm'))
  expect(stdout).toContain('--config <file>')
})

it('ends with 2 on what it does not know, with a hint and without a stack', async () => {
  const { run } = await cli()
  for (const [args, said] of [
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['sync', '--bogus'], "unknown option '--bogus'"],
    [['snyc'], 'Did you mean sync?'],
    [['sync', '--sweeep'], 'Did you mean --sweep?'],
    [['config', 'verify'], "unknown command 'verify'"],
    [['sync', 'users'], 'too many arguments'],
    [['simulate', '--port', 'http'], 'want a whole number'],
    [['checks', '--format', 'xml'], 'Unknown format "xml"'],
  ] as const) {
    const { code, stdout, stderr } = await run(...args)
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
    expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/^ +at /m)
  }
})

it('shows its help on standard error and ends with 2 without a command', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run()
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('Usage: tenantwatch')
})

it('tells its version', async () => {
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
  expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(ids)
  const facts = JSON.parse((await run('checks', '--format', 'json')).stdout)
  expect(facts.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(facts[0]).toMatchObject({
    title: expect.any(String),
    risk: expect.any(String),
    remediation: expect.any(String),
  })
})

it('writes the exposition of the mirror, without what only a daemon knows', async () => {
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

it('asks every endpoint once as a doctor, and writes nothing', async () => {
  const { run, simulator } = await cli()
  const { code, stdout } = await run('doctor')
  expect(code).toBe(0)
  expect(stdout.match(/^✓/gm)).toHaveLength(7)
  expect(simulator.requests.count()).toBe(6)
  expect(await run('findings')).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no mirror') })
})

it('names as a doctor what cannot be read, and the permission for it', async () => {
  const { run } = await cli({
    tenants: [
      { name: 'acme', token: 'withoutUsers' },
      { name: 'globex', token: 'expired' },
    ],
  })
  const { code, stdout, stderr } = await run('doctor')
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
  expect(stdout).toMatch(/^✗ +users +Api_Users_Read +missing_permission: .*Api_Users_Read/m)
  const [first, second] = stdout.split('\n\n')
  expect(first?.match(/^✓/gm)).toHaveLength(5)
  expect(second).toMatch(/^globex at /)
})

it('ends with 3 and one sentence when the program is told to stop in mid work', async () => {
  const { runWith, simulator } = await cli()
  const stopping = new AbortController()
  simulator.onRequest(() => stopping.abort(new DOMException('The program is stopping', 'AbortError')))
  const { code, stderr } = await runWith({ stop: stopping.signal }, 'sync')
  expect(code).toBe(3)
  expect(stderr).not.toMatch(/^ +at /m)
})
