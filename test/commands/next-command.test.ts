import { expect, it } from 'vitest'
import { synced } from './support/cli.ts'
import { shown } from './support/on-terminal.ts'

const small = { simulator: { sizes: { users: 10, documents: 5 } } }

it('ends with the next command to copy, also for another configuration file', async () => {
  const world = await synced(small)
  world.write("it's.yaml", world.read('tenantwatch.yaml'))
  const config = ['--config', "it's.yaml"]
  const flag = `--config 'it'\\''s.yaml'`
  expect((await shown(world, 80, 'sync', ...config)).text).toMatch(
    /\n\nTo list the findings: tenantwatch findings --config 'it'\\''s\.yaml'\n$/,
  )
  const listed = await shown(world, 80, 'findings', ...config)
  const [, id = ''] = /\nTo see why: tenantwatch explain ([\da-f]{12}) --config /.exec(listed.text) ?? []
  const explained = await shown(world, 80, 'explain', id, ...config)
  expect(explained.text).toContain(
    `\nTo waive it until a date:\n  tenantwatch waive ${id} --reason TEXT --owner WHO \\\n    --expires YYYY-MM-DD ${flag}\n`,
  )
  const doctor = (await shown(world, 200, 'doctor', ...config)).text
  expect(doctor).toContain(`"tenantwatch export users ${flag}"`)
  expect(doctor.match(/"tenantwatch /g)).toHaveLength(doctor.split(`${flag}"`).length - 1)
  const grouped = await shown(world, 200, 'findings', '--group', 'check')
  expect(grouped.text).toMatch(/\nTo list those of the first check: tenantwatch findings --check [a-z-]+\n$/)
  for (const args of [['findings'], ['explain', id], ['findings', '--group', 'check'], ['sync']])
    expect((await world.run(...args)).stdout).not.toContain('To ')
})

it('names what is missing for a waiver, and how the printed one gets into the file', async () => {
  const world = await synced(small)
  const [finding] = JSON.parse((await world.run('findings', '--format', 'json')).stdout)
  expect(await world.run('waive', finding.fingerprint, '--owner', 'ops')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tenantwatch: Missing --reason <text>, --expires <date>\n/),
  })
  expect(await world.run('waive', '0123456789ab', '--owner', 'ops', '--expires', '2020-01-01')).toMatchObject({
    code: 2,
    stderr:
      'tenantwatch: No finding has this fingerprint; see "tenantwatch findings --all". Missing --reason <text>. Invalid value of --expires: the day is over; expected the last valid day (UTC)\n',
  })
  const terms = ['--owner', 'ops', '--reason', 'Agreed with the board', '--expires', '2026-12-31']
  const { text } = await shown(world, 80, 'waive', finding.fingerprint, ...terms)
  expect(text).toMatch(/\n\nNot written yet\. To add it to tenantwatch\.yaml: the same command with --write\n$/)
  expect((await world.run('waive', finding.fingerprint, ...terms)).stdout).not.toContain('Not written')
})

it('says that a report was written, and fills no terminal with a page', async () => {
  const world = await synced(small)
  expect((await shown(world, 80, 'report', '--output', 'report.html')).text).toBe('Wrote report.html\n')
  expect(await shown(world, 80, 'report')).toMatchObject({ code: 2, text: '' })
  expect((await shown(world, 80, 'report', '--format', 'md')).text).toMatch(/^# Audit report\n/)
  expect((await world.run('report', '--output', 'other.html')).stdout).toBe('Wrote other.html\n')
})

it('names a failed run once on a terminal: in the summary, not in the log', async () => {
  const world = await synced(small)
  world.simulator.revokeToken('reader')
  const texts: string[] = []
  const stderr = { isTTY: true, columns: 80, write: (text: string) => texts.push(text) > 0 }
  const { code, stdout } = await world.runWith({ stderr }, 'sync')
  expect(code).toBe(3)
  expect(stdout).toContain(' unauthorized ')
  expect(texts.join('')).not.toContain('Run failed')
  expect((await world.run('sync')).stderr).toContain('Run failed')
})

it('breaks messages between words where standard error is a terminal, and nowhere else', async () => {
  const world = await synced(small)
  const texts: string[] = []
  const stderr = { isTTY: true, columns: 80, write: (text: string) => texts.push(text) > 0 }
  await world.runWith({ stderr, env: {} }, 'findings')
  const lines = texts.join('').trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  const piped = await world.runWith({ env: {} }, 'findings')
  expect(piped.stderr.trimEnd()).toBe(lines.map((line) => line.trim()).join(' '))
})
