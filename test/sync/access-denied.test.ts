import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import { resources } from '../../src/resources/index.ts'
import { permissionsOf } from '../support/descriptors.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending, everyRow, heldBack } from '../support/sync-queries.ts'
import { temporaryFolder } from '../support/temporary.ts'

const settings = { userDetails: { perRun: 0 } }

const permissions = permissionsOf(resources)
const readable = permissions.map(
  (code) => [code, resources.filter(({ permission }) => permission === code).map(({ name }) => name)] as const,
)

/** How the full syncs of all resources end. */
async function endings(test: TestEngine): Promise<ReadonlySet<string>> {
  return new Set((await test.runAll('full')).map(ending))
}

it.each(readable)(
  'without %s only its resources fail, the message names it, and nothing is removed',
  async (code, denied) => {
    const test = await testEngine({ settings })
    await test.runAll('full')
    const before = everyRow(test)
    test.sim.credentials.reader.permissions.delete(code)
    for (let n = 0; n < 3; n++) {
      for (const resource of test.engine.resources) {
        const result = await test.run(resource, 'full')
        const isDenied = denied.some((name) => name === resource)
        expect([resource, ending(result)]).toEqual([resource, isDenied ? 'missing_permission' : 'success'])
        if (isDenied) expect(`${result.message} ${result.hint}`).toContain(code)
      }
      test.clock.advance(15 * minuteMs)
    }
    for (const resource of denied) {
      const table = resource.replace('-', '_')
      expect(everyRow(test)[table]).toEqual(before[table])
    }
    expect(await heldBack(test)).toEqual([])
    test.sim.credentials.reader.permissions.add(code)
    expect(await endings(test)).toEqual(new Set(['success']))
  },
)

it('a dead token fails every resource as unauthorized and is not hammered', async () => {
  const test = await testEngine({ settings })
  await test.runAll('full')
  const before = everyRow(test)
  test.sim.credentials.reader.isRevoked = true
  test.clock.advance(5 * minuteMs)
  test.sim.requests.clear()
  for (let n = 0; n < 4; n++) expect(await endings(test)).toEqual(new Set(['unauthorized']))
  // The first refusal and one read under each of the other permissions.
  expect(test.sim.requests.count()).toBe(permissions.length)
  for (let cycle = 0; cycle < 3; cycle++) {
    test.clock.advance(5 * minuteMs)
    test.sim.requests.clear()
    for (let n = 0; n < 4; n++) await endings(test)
    expect(test.sim.requests.count()).toBe(1)
  }
  expect(everyRow(test)).toEqual(before)
  expect(await heldBack(test)).toEqual([])
  test.sim.credentials.reader.isRevoked = false
  test.clock.advance(5 * minuteMs)
  expect(await endings(test)).toEqual(new Set(['success']))
})

it('a rotated token file is taken up without a restart, and the tenant is checked before a commit', async () => {
  const test = await testEngine({ settings })
  const file = join(temporaryFolder(), 'token')
  writeFileSync(file, `${test.sim.tokens.reader}\n`)
  await test.restart({ auth: { token: { file } } })
  expect(await endings(test)).toEqual(new Set(['success']))
  const rotated = test.sim.rotateToken('reader')
  expect(await endings(test)).toEqual(new Set(['unauthorized']))
  test.sim.requests.clear()
  writeFileSync(file, `${rotated}\r\n`)
  expect(await endings(test)).toEqual(new Set(['success']))
  expect(test.sim.requests.filter(({ status }) => status === 401)).toEqual([])
  writeFileSync(file, test.sim.tokens.secondReader)
  const before = everyRow(test)
  expect(await endings(test)).toEqual(new Set(['tenant_changed']))
  expect(everyRow(test)).toEqual(before)
})

it.each(['incremental', 'full'] as const)(
  'a refusal persists behind failures of other kinds until a %s succeeds, also over a restart',
  async (mode) => {
    const test = await testEngine()
    await test.run('users', 'full')
    const denied = async () => (await test.mirror.syncState(test.engine.tenantId, 'users')).denied
    const path = '/api/public/users'
    const steps = [
      [401, 'full', 'missing_permission'],
      [404, 'full', 'client_error'],
      [404, 'incremental', 'client_error'],
    ] as const
    await test.run('roles')
    for (const [status, failing, reason] of steps) {
      const fault = test.sim.faults.add({ path, effect: { kind: 'status', status } })
      expect(ending(await test.run('users', failing))).toBe(reason)
      test.sim.faults.remove(fault.id)
      expect(await denied()).toBe('missing_permission')
    }
    await test.restart()
    expect(await denied()).toBe('missing_permission')
    expect(ending(await test.run('users', mode))).toBe('success')
    expect(await denied()).toBeNull()
  },
)
