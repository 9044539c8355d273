import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/temporary.ts'
import { everySecond, program, programWith, daemon as startDaemon, until, world } from '../support/program.ts'
import { brokenIn } from './support/broken.ts'

async function daemonOn(...node: readonly string[]) {
  const { place } = await world({ sizes: { users: 100 } }, everySecond)
  return { place, daemon: await startDaemon(place, ...node) }
}

it.each([
  ['an exception', 'setTimeout(() => { throw new TypeError("planted") }, 50)'],
  ['a rejection', 'setTimeout(() => Promise.reject(new TypeError("planted")), 50)'],
])('logs its last lines and exits with 3 on an unexpected %s', async (_, line) => {
  const folder = temporaryFolder()
  const trap = join(folder, 'trap.mjs')
  writeFileSync(trap, `process.once('SIGUSR2', () => { ${line} })`)
  const { place, daemon } = await daemonOn('--import', trap)
  await until(async () => (await daemon.get('/readyz')).status === 200)
  daemon.child.kill('SIGUSR2')
  const { code, stderr } = await daemon.ended
  expect(code).toBe(3)
  expect(stderr).toMatch(/^\{"level":60,.*"msg":"unexpected error: TypeError: planted\\n.*\}$/m)
  expect(await program(place, 'sync').ended).toMatchObject({ code: 0 })
  expect(brokenIn(place.store)).toEqual([])
})

it('continues to work, and stops in time, while nobody reads its output', async () => {
  const often = `log: { level: trace }\nschedule: { roles: { full: "* * * * * *" }, users: { incremental: "* * * * * *" }, evaluate: "* * * * * *" }`
  const { simulator, place } = await world({ sizes: { users: 50 } }, often)
  const fifo = join(place.folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  const reader = openSync(fifo, 'r+')
  const writer = openSync(fifo, 'w')
  // A pipe that holds nothing more from the first line on.
  writeSync(writer, Buffer.alloc(65_536, '.'))
  // A free address, because the port that it prints cannot be read.
  const address = `127.9.${Math.floor(process.pid / 256) % 256}.${process.pid % 256}:9469`
  const env = { ...place.env, TENANTWATCH_LISTEN: address }
  const run = programWith({ stdio: ['ignore', writer, writer] }, { ...place, env }, 'run')
  const get = async (path: string) => {
    try {
      const response = await fetch(`http://${address}${path}`)
      return { status: response.status, text: await response.text() }
    } catch {
      return undefined
    }
  }
  await until(async () => (await get('/readyz'))?.status === 200)
  const asked = simulator.requests.count()
  await until(() => simulator.requests.count() > asked + 5)
  expect((await get('/healthz'))?.status).toBe(200)
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${run.child.pid}/status`, 'utf8'))?.[1])
  expect(rss).toBeLessThan(200_000)
  const stopping = Date.now()
  run.child.kill('SIGTERM')
  await run.ended
  expect(Date.now() - stopping).toBeLessThan(5000)
  expect(run.child.exitCode).toBe(0)
  closeSync(writer)
  closeSync(reader)
})
