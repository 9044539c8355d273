import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { listening } from '../support/listening.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { program, until } from './support/program.ts'

const run = promisify(execFile)

it('prints commands that work in a second terminal, logs when what they broke works again, and deletes its folder at the end', async () => {
  const folder = temporaryFolder()
  const demo = program({ folder, env: { TMPDIR: folder } }, 'demo', '--port', '0', '--users', '30')
  await until(() => demo.stdout.includes('Press Ctrl-C'))
  expect(demo.stdout.match(/^(?:CRITICAL|HIGH) +[\da-f]{12} /gm)).toHaveLength(5)
  expect(demo.stdout).toMatch(/^Status page {2}http:\/\/127\.0\.0\.1:\d+\/$/m)
  const config = /export TENANTWATCH_CRON_SECONDS=1 TENANTWATCH_CONFIG=(\S+)/.exec(demo.stdout)?.[1] ?? ''
  const lines = [...demo.stdout.matchAll(/^ {2}(\S*bin\/tenantwatch .*)$/gm)].map(([, line = '']) => line)
  expect(lines.map((line) => /bin\/tenantwatch (\w+)/.exec(line)?.[1])).toEqual([
    'findings',
    'explain',
    'report',
    'doctor',
  ])
  for (const file of [config, join(dirname(config), 'token')]) expect(statSync(file).mode & 0o777).toBe(0o600)
  const shell = { cwd: folder, env: { TENANTWATCH_CONFIG: config, TENANTWATCH_CRON_SECONDS: '1' }, maxBuffer: 1 << 24 }
  for (const line of lines) {
    const { stdout, stderr } = await run('/bin/sh', ['-c', line], shell)
    expect([line, `${stdout}${stderr}`.length > 0]).toEqual([line, true])
  }
  expect(existsSync(join(folder, 'report.html'))).toBe(true)
  const commands = [...demo.stdout.matchAll(/^ {2}curl -d '(.*)' (\S+)$/gm)]
  expect(commands).toHaveLength(5)
  for (const [, body = '', address = ''] of commands) {
    if (body.includes('restore')) await until(() => demo.stderr.includes('Run failed'))
    const answer = await fetch(address, { method: 'POST', body })
    expect([body, answer.status]).toEqual([body, 200])
  }
  await until(() => demo.stderr.includes('Runs succeed again'))
  demo.child.kill('SIGINT')
  await demo.ended
  expect(existsSync(dirname(config))).toBe(false)
})

it('takes a free port where the wanted one cannot be used', async () => {
  const port = await listening(createServer())
  const demo = program({ folder: temporaryFolder() }, 'demo', '--port', String(port), '--users', '3')
  await until(() => demo.stdout.includes('Press Ctrl-C'))
  expect(demo.stdout).toContain(`Port ${port} cannot be used`)
})
