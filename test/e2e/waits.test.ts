import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { placeFor, program, until } from './support/program.ts'

it('after kill -9 in the middle of the answer that asked for a wait, nothing is sent before the wait is over', async () => {
  const simulator = await startSimulator({ controlPort: null })
  onTestFinished(() => simulator.close())
  const place = placeFor(simulator, temporaryFolder())
  const asked = { kind: 'status', status: 429, headers: { 'retry-after': '600' } } as const
  for (const effect of [asked, { kind: 'drip', chunkBytes: 1, everyMs: 600_000 }] as const) {
    simulator.faults.add({ path: '/api/public/roles', times: 1, effect })
  }
  const first = program(place, 'sync')
  await until(() => simulator.requests.filter(({ endpoint }) => endpoint === '/api/public/roles').length > 0)
  const storedWait = () => {
    const beside = new Database(place.store, { readonly: true })
    try {
      return beside.prepare('select blocked_until from tenants').pluck().get() as number
    } finally {
      beside.close()
    }
  }
  const blockedUntil = await until(() => storedWait() > 0 && storedWait())
  first.child.kill('SIGKILL')
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })
  expect(blockedUntil - Date.now()).toBeGreaterThan(500_000)

  simulator.requests.clear()
  const { code, stderr } = await program(place, 'sync').ended
  expect(code, stderr).toBe(3)
  expect(simulator.requests.count()).toBe(0)
  expect(storedWait()).toBe(blockedUntil)
})
