import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { listening } from '../support/listening.ts'
import { cli, synced } from './support/cli.ts'

const commands =
  'run sync findings explain history report verify expiring export accept waive purge checks doctor mcp notify metrics rules dashboards backup migrate-store config simulate demo'.split(
    ' ',
  )
const subcommands = ['init', 'check', 'print', 'schema'].map((name) => `config ${name}`)

it('lists every command in its help', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run('--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const listed = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name)
  expect(listed).toEqual([...commands, 'help'])
})

it('has every command in a table of the README', () => {
  const [, section = ''] = /\n## Every day\n([\s\S]*?)\n## /.exec(readFileSync('README.md', 'utf8')) ?? []
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell)
  const described = cells.flatMap((cell) => [...cell.matchAll(/`(?:tenantwatch )?([a-z-]+)/g)].map(([, name]) => name))
  expect(described.toSorted()).toEqual(commands.toSorted())
})

it.each([...commands, ...subcommands])('shows an example in the help of %s', async (command) => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run(...command.split(' '), '--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`^Examples?:\\n(  .*\\n)*.*tenantwatch ${command}`, 'm'))
  expect(stdout.includes('--config <file>')).toBe(!['demo', 'simulate'].includes(command))
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

it('shows its help on standard error and ends with 2 without a command', async () => {
  const { run } = await cli()
  const { code, stdout, stderr } = await run()
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('Usage: tenantwatch')
})

it('takes --config before and after the command', async () => {
  const { run, env } = await cli()
  delete env['TENANTWATCH_CONFIG']
  expect(await run('--config', 'tenantwatch.yaml', 'config', 'check')).toMatchObject({ code: 0 })
  expect(await run('config', 'check', '--config', 'tenantwatch.yaml')).toMatchObject({ code: 0 })
})

it('prints the catalogue of checks, for people and for machines', async () => {
  const { run } = await cli()
  const [, ...lines] = (await run('checks')).stdout.trimEnd().split('\n')
  expect(lines.map((line) => line.split(' ')[0])).toEqual(checks.map(({ id }) => id))
  const [facts] = JSON.parse((await run('checks', '--format', 'json')).stdout)
  const text = expect.any(String)
  expect(facts).toMatchObject({ id: checks[0]?.id, title: text, risk: text, remediation: text })
})

it('prints a command that reads a simulator on all addresses', async () => {
  const { runWith } = await cli()
  const args = ['--host', '0.0.0.0', '--port', '0', '--control-port', '0']
  const { stdout } = await runWith({ stop: AbortSignal.abort() }, 'simulate', ...args)
  expect(stdout).toContain('TENANTWATCH_BASE_URL=http://127.0.0.1:')
})

it('reports in one sentence that a port of the simulator is taken', async () => {
  const { run } = await cli()
  const port = await listening(createServer())
  const sentence = `tenantwatch: Cannot listen on 127.0.0.1:${port}: the port is taken; change --port or --control-port\n`
  const output = { code: 3, stdout: '', stderr: sentence }
  expect(await run('simulate', '--port', `${port}`, '--control-port', '0')).toEqual(output)
  expect(await run('simulate', '--port', '0', '--control-port', `${port}`)).toEqual(output)
})
