import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import type { PermissionCode, TokenName } from '../../src/simulator/index.ts'

import { scriptedResources, type TestEngine } from '../support/engine.ts'
import { accept, ending, everyRow, heldBack, live, synced, theHold } from '../support/sync-queries.ts'

const scene = { serves: scriptedResources }
const wholes = ['roles', 'permissions', 'authentication-settings'] as const
const identifying: readonly PermissionCode[] = ['Api_Users_Read', 'Api_ApiClients_Read', 'Api_Documents_Read']
const asking: readonly PermissionCode[] = ['Api_ApiClients_Read', 'Api_Documents_Read']
const known = 60 + 24

function deny(test: TestEngine, credential: TokenName, codes = identifying): void {
  for (const code of codes) test.sim.credentials[credential].permissions.delete(code)
}

/** The token is another tenant's, which may read no record that distinguishes tenants. */
async function exchanged(): Promise<TestEngine> {
  const test = await synced(scene)
  deny(test, 'secondReader')
  test.useToken(test.sim.tokens.secondReader)
  return test
}

it.each(wholes)('another tenant whose token may read no record brings nothing in by its %s', async (resource) => {
  const test = await exchanged()
  const before = everyRow(test)
  const { reason, message } = await test.run(resource)
  expect(reason).toBe('tenant_changed')
  for (const code of asking) expect(message).toContain(code)
  for (const other of test.engine.resources) expect(ending(await test.run(other))).toBe('tenant_changed')
  expect(everyRow(test)).toEqual(before)
  expect(await heldBack(test)).toEqual([`all tenant_changed ${known}`])
})

it('the hold lifts by itself when one page shows a known id', async () => {
  const test = await exchanged()
  await test.run('roles')
  const { id } = await theHold(test)
  await test.restart()
  expect((await theHold(test)).id).toBe(id)
  deny(test, 'reader', ['Api_Users_Read', 'Api_ApiClients_Read'])
  test.useToken(test.sim.tokens.reader)
  test.clock.advance(5 * minuteMs)
  expect(ending(await test.run('roles'))).toBe('success')
  expect(await heldBack(test)).toEqual([])
})

it('accepting admits readable records, and confirms no unreadable one', async () => {
  const test = await exchanged()
  await test.run('roles')
  const places = async () => {
    const { cursor } = await test.mirror.syncState(test.engine.tenantId, 'documents')
    return cursor
  }
  const before = await places()
  await accept(test, await theHold(test))
  // A list of roles has known ids, too.
  const admitted = new Map<string, string>(wholes.map((name) => [name, name === 'roles' ? 'suspect_empty' : 'success']))
  for (const resource of test.engine.resources)
    expect(ending(await test.run(resource))).toBe(admitted.get(resource) ?? 'missing_permission')
  expect(test.query('select * from accepted_removals')).toEqual([])
  expect([await places(), live(test, 'documents'), live(test, 'users')]).toEqual([before, 60, 60])
  expect((await test.mirror.tenant(test.engine.tenantId)).changeAccepted).toBeNull()
  // What can be read later is met by the guard as ever.
  test.sim.credentials.secondReader.permissions.add('Api_Documents_Read')
  test.clock.advance(5 * minuteMs)
  expect(ending(await test.run('documents', 'full'))).toBe('tenant_changed')
  expect(live(test, 'documents')).toBe(60)
})

it('an acceptance lasts beyond the process, until one of the lists can be read or the token changes', async () => {
  const test = await exchanged()
  await test.run('roles')
  const hold = await theHold(test)
  await accept(test, hold)
  for (let start = 0; start < 2; start++) {
    expect(ending(await test.run('permissions'))).toBe('success')
    await test.restart()
  }
  deny(test, 'reader')
  test.useToken(test.sim.tokens.reader)
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
  expect((await theHold(test)).id).not.toBe(hold.id)
  test.useToken(test.sim.tokens.secondReader)
  await test.restart()
  expect(ending(await test.run('roles'))).toBe('tenant_changed')
})
