import { expect, it } from 'vitest'
import { cli, synced } from './support/cli.ts'
import { parseCsv } from './support/csv.ts'

const esc = '\u001b'
const hostile = `${esc}[2J${esc}]0;owned\u0007\u202egnp.exe\r\nFAKE  acme`
const formula = '=HYPERLINK("http://evil.example","click")'

/** Control characters but for the line ends that the program itself writes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it looks for
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

async function world() {
  const one = await cli({ simulator: { problems: false } })
  const { primary } = one.simulator
  const expired = { secretExpirationDate: '2026-02-01T00:00:00Z' }
  primary.addApiClient({ name: hostile, ...expired })
  primary.addApiClient({ name: formula, ...expired })
  primary.addUser({ firstName: formula, lastName: hostile, email: '+1@evil.example', mfaStatus: false })
  primary.addDocument({ filename: `@${hostile}.pdf`, uploadStatus: 'Completed' })
  primary.addDocument({ filename: `@${hostile}.pdf`, uploadStatus: 'Completed' })
  await one.run('sync')
  return one
}

it('prints names that carry terminal codes as visible escapes', async () => {
  const { run } = await world()
  const { stdout } = await run('findings')
  expect(stdout).toContain('\\u{1b}[2J')
  expect(stdout).not.toMatch(control)
  expect(stdout.split('\n').some((line) => line.startsWith('FAKE'))).toBe(false)
  const again = await run('sync', '--full')
  expect(again.stdout + again.stderr).not.toMatch(control)
})

it('gives JSON the text as it is, escaped as JSON has it', async () => {
  const { run } = await world()
  const { stdout } = await run('export', 'api-clients')
  expect(stdout).not.toContain(esc)
  const names = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).name)
  expect(names).toContain(hostile)
  expect(names).toContain(formula)
})

it('begins no CSV cell with a formula', async () => {
  const { run } = await world()
  for (const args of [['export', 'api-clients'], ['export', 'users'], ['export', 'documents'], ['findings']]) {
    const { stdout } = await run(...args, '--format', 'csv')
    const cells = parseCsv(stdout).flat()
    expect(cells.length).toBeGreaterThan(20)
    expect(
      cells.filter((cell) => /^[=+@\t\r-]/.test(cell)),
      args.join(' '),
    ).toEqual([])
  }
  const cells = parseCsv((await run('export', 'users', '--format', 'csv')).stdout).flat()
  expect(cells).toContain(`'${formula}`)
  expect(cells).toContain("'+1@evil.example")
})

it('keeps a name in the exposition on its own line', async () => {
  const { run } = await world()
  const { stdout } = await run('metrics')
  expect(stdout).not.toMatch(control)
  const info = stdout.split('\n').filter((line) => line.startsWith('tenantwatch_api_client_info{'))
  for (const line of info) expect(line).toMatch(/^tenantwatch_api_client_info\{(\w+="([^"\\\n]|\\[\\"n])*",?)+\} 1$/)
})

it('shows a message of the tenant harmlessly', async () => {
  const { run, simulator } = await synced()
  simulator.faults.add({
    path: '/api/public/users',
    effect: { kind: 'status', status: 403, message: hostile, code: hostile },
  })
  for (const args of [['sync', '--full'], ['doctor']]) {
    const { code, stdout, stderr } = await run(...args)
    expect(code).toBe(3)
    expect(stdout + stderr).not.toMatch(control)
  }
})

it('keeps the token out of everything it prints and writes', async () => {
  const { run, simulator, files, env } = await synced()
  const token = env['ACME_TOKEN'] ?? ''
  expect(token.length).toBeGreaterThan(20)
  simulator.faults.add({
    path: '/api/public/roles',
    effect: { kind: 'status', status: 400, message: `bad token ${token}` },
  })
  const outputs = await Promise.all(
    [
      ['sync', '--full'],
      ['doctor'],
      ['config', 'print'],
      ['metrics'],
      ['findings'],
      ['export', 'users'],
      ['accept'],
    ].map((args) => run(...args)),
  )
  for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(token)
  expect(files()).not.toContain(token)
})
