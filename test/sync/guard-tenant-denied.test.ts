import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { evaluateTenant } from '../../src/evaluate/evaluate-tenant.ts'
import { silentLog } from '../../src/model/log.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import type { PermissionCode, TokenName } from '../../src/simulator/index.ts'
import { scriptedResources, type TestEngine, testEngine } from '../support/engine.ts'
import { asked, ending, everyRow, heldBack, live, synced } from '../support/sync-queries.ts'

const scene = { serves: scriptedResources }
const wholes = ['roles', 'permissions', 'authentication-settings'] as const
const lists = ['Api_ApiClients_Read', 'Api_Documents_Read'] as const
const off = { 'api-clients': { enabled: false }, documents: { enabled: false } }

function deny(test: TestEngine, credential: TokenName, codes: readonly PermissionCode[]): void {
  for (const code of codes) test.sim.credentials[credential].permissions.delete(code)
}

/** The token is another tenant's, which may read no record that distinguishes tenants. */
async function exchanged(): Promise<TestEngine> {
  const test = await synced(scene)
  deny(test, 'secondReader', ['Api_Users_Read', ...lists])
  test.useToken(test.sim.tokens.secondReader)
  return test
}

it.each(wholes)('another tenant whose token may read no record brings nothing in by its %s', async (resource) => {
  const test = await exchanged()
  const before = everyRow(test)
  for (let round = 0; round < 2; round++) {
    const { reason, message, hint } = await test.run(resource)
    expect(reason).toBe('missing_permission')
    expect(message).toContain('Api_ApiClients_Read')
    expect(hint).toContain('enabled: false')
    for (const other of test.engine.resources) expect(ending(await test.run(other))).toBe('missing_permission')
    test.clock.advance(6 * minuteMs)
  }
  expect(everyRow(test)).toEqual(before)
  expect(await heldBack(test)).toEqual([])
})

it.each(lists)('all runs succeed by themselves once the token may read one of the lists again: %s', async (code) => {
  const test = await synced(scene)
  deny(test, 'reader', lists)
  await test.restart()
  expect(new Set((await test.runAll()).map(ending))).toEqual(new Set(['missing_permission']))
  test.sim.credentials.reader.permissions.add(code)
  test.clock.advance(6 * minuteMs)
  const refused = code === 'Api_Documents_Read' ? 'api-clients' : 'documents'
  for (const resource of test.engine.resources)
    expect(ending(await test.run(resource))).toBe(resource === refused ? 'missing_permission' : 'success')
  for (const each of lists) test.sim.credentials.reader.permissions.add(each)
  expect(new Set((await test.runAll('full')).map(ending))).toEqual(new Set(['success']))
})

it('a proof that lacks the permissions is read once an interval', async () => {
  const test = await synced(scene)
  deny(test, 'reader', lists)
  await test.restart()
  const refused = async () => {
    test.sim.requests.clear()
    await Promise.all(wholes.flatMap((resource) => [test.run(resource), test.run(resource)]))
    return asked(test).filter((path) => !wholes.some((resource) => path === resource))
  }
  for (let interval = 0; interval < 3; interval++) {
    expect(await refused()).toEqual(['api-clients', 'documents'])
    expect(await refused()).toEqual([])
    test.clock.advance(6 * minuteMs)
  }
  expect(await refused()).toEqual(['api-clients', 'documents'])
  test.useToken(test.sim.tokens.withoutUsers)
  expect(ending(await test.run('roles'))).toBe('success')
})

it('no check passes and no finding resolves while the token may read none of the lists', async () => {
  const test = await synced({ sizes: { users: 20, documents: 8 } })
  const statuses = async () => {
    const tenant = { id: test.engine.tenantId, settings: test.settings }
    const how = { store: test.mirror, tenant, checks, now: test.clock.now(), log: silentLog() }
    const applicable = (await Array.fromAsync(evaluateTenant(how))).filter(({ status }) => status !== 'not_applicable')
    return new Set(applicable.map(({ status, reason }) => `${status} ${reason}`))
  }
  const open = () => test.query('select fingerprint from findings where resolution is null')
  await statuses()
  const before = open()
  const { users, documents } = test.sim.primary
  for (const { userId } of users.all()) users.update(userId, { mfaStatus: true, mfaAction: true, state: 'Active' })
  for (const { fileId } of documents.all()) documents.update(fileId, { uploadStatus: 'Completed' })
  deny(test, 'reader', lists)
  await test.restart()
  await test.runAll('full')
  expect(await statuses()).toEqual(new Set(['unknown missing_permission']))
  expect(open()).toEqual(before)
  for (const each of lists) test.sim.credentials.reader.permissions.add(each)
  test.clock.advance(hourMs)
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  expect([...(await statuses())].filter((status) => status.includes('missing_permission'))).toEqual([])
  expect(open().length).toBeLessThan(before.length)
})

it('the lists do not count once they are switched off, or if no record of them was ever read', async () => {
  const test = await synced(scene)
  deny(test, 'reader', lists)
  await test.restart()
  expect(ending(await test.run('users'))).toBe('missing_permission')
  await test.restart({ resources: off })
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')

  const fresh = await testEngine({ ...scene, settings: { userDetails: { perRun: 0 } }, sizes: { users: 60 } })
  deny(fresh, 'reader', lists)
  for (const resource of ['users', ...wholes] as const)
    expect(ending(await fresh.run(resource, 'full'))).toBe('success')
  expect(live(fresh, 'users')).toBe(60)
})
