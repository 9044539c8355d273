import { existsSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parseSecret, Secret } from '../../../src/api/credentials/secret.ts'
import { createPlain, fileSource } from '../../../src/api/credentials/sources.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { silentLog } from '../../../src/model/log.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { caught } from '../support/caught.ts'

const canary = 'CANARY-31415926535897'

const commandSource = (command: readonly string[], clock: Clock, cycleMs: number) =>
  createPlain({ command }, { clock, cycleMs, log: silentLog(), env: () => undefined })

it('prints a secret as [redacted] however it is turned into text', () => {
  const secret = new Secret(canary)
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ deep: [secret] }, { showHidden: true, depth: 9 }),
    inspect(new Error('x', { cause: secret })),
    JSON.stringify(Object.entries(secret)),
  ]
  for (const text of printed) expect(text).not.toContain('CANARY')
  expect(printed.slice(0, 3)).toEqual(['[redacted]', '[redacted]', '{"secret":"[redacted]"}'])
  expect(secret.expose()).toBe(canary)
})

it.each([
  ['', /is empty/],
  [' \n', /is empty/],
  [`${canary} x`, /a space/],
  [`${canary}\r\nX-Evil: 1`, /a space/],
  [`${canary}\u0000`, /control/],
  [`${canary}é`, /ASCII/],
  [canary.repeat(1000), /longer than/],
])('refuses an unusable secret without printing it: %#', (text, message) => {
  expect(() => parseSecret(text, 'File x')).toThrow(message)
  expect(() => parseSecret(text, 'File x')).not.toThrow(/CANARY/)
})

it('reads a file again when it changed and keeps the last good secret meanwhile', async () => {
  const path = join(temporaryFolder(), 'token')
  const warnings: unknown[] = []
  const source = fileSource(path, { ...silentLog(), warn: (fields) => warnings.push(fields) })
  expect(await caught(source.current())).toMatchObject({
    reason: 'unauthorized',
    message: expect.stringContaining('ENOENT'),
  })
  await writeFile(path, ' one\n')
  expect((await source.current()).expose()).toBe('one')
  await writeFile(path, 'second\n')
  expect((await source.current()).expose()).toBe('second')
  for (const bad of ['', `${canary} with spaces`]) {
    await writeFile(path, bad)
    expect((await source.current()).expose()).toBe('second')
    expect((await source.current()).expose()).toBe('second')
  }
  await rm(path)
  expect((await source.current()).expose()).toBe('second')
  expect(warnings).toHaveLength(3)
  expect(JSON.stringify(warnings)).not.toContain('CANARY')
  await writeFile(path, 'third')
  expect((await source.renew(new Secret('second'))).expose()).toBe('third')
})

it('runs a command once for a cycle and for all who wait', async () => {
  const script = `const fs=require('fs');const f=${JSON.stringify(join(temporaryFolder(), 'count'))};
    const n=(fs.existsSync(f)?Number(fs.readFileSync(f)):0)+1;fs.writeFileSync(f,String(n));console.log('token-'+n)`
  const clock = fakeClock(Date.UTC(2026, 0, 15))
  const source = commandSource([process.execPath, '-e', script], clock, 60_000)
  const [one, two] = await Promise.all([source.current(), source.current()])
  expect([one.expose(), two.expose()]).toEqual(['token-1', 'token-1'])
  expect((await source.renew(one)).expose()).toBe('token-2')
  expect((await source.renew(one)).expose()).toBe('token-2')
  const used = await source.current()
  expect((await source.renew(used)).expose()).toBe('token-3')
  clock.advance(60_000)
  expect((await source.current()).expose()).toBe('token-4')
})

it.each([
  ['exit code 3', `console.error('${canary}');console.log('${canary}');process.exit(3)`],
  ['is empty', ''],
  ['a space', `console.log('${canary} x')`],
  ['more than 64 KiB', `process.stdout.write('${canary}'.repeat(9000))`],
])('reports a failed command (%s) without its output', async (why, script) => {
  const source = commandSource([process.execPath, '-e', script], fakeClock(Date.UTC(2026, 0, 15)), 60_000)
  const error = await caught(source.current())
  expect(error.reason).toBe('unauthorized')
  expect(error.message).toContain(why)
  expect(inspect(error)).not.toContain('CANARY')
})

it.runIf(existsSync('/proc/self'))('ends the child processes of a command with it', async () => {
  const file = join(temporaryFolder(), 'pids')
  const source = commandSource(
    ['sh', '-c', `sleep 771 & echo $$ $! > ${file}; wait`],
    fakeClock(Date.UTC(2026, 0, 15)),
    60_000,
  )
  const call = caught(source.current())
  const pids = await vi.waitFor(async () => {
    const found = (await readFile(file, 'utf8')).trim().split(' ').map(Number)
    if (found.length !== 2) throw new Error('It has not begun yet')
    return found
  }, 30_000)
  onTestFinished(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  source.dispose()
  expect((await call).reason).toBe('aborted')
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 30_000)
})

/** False for a process that is gone, or waits for its parent to hear of its end. */
function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'))
}
