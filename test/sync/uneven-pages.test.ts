import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending, everyRow } from '../support/sync-queries.ts'
import { client, type ScriptedTenant, type TwoTenants, tenant, twoTenants, user } from './support/two-tenants.ts'

const users = (from: number, count: number, more = {}) => Array.from({ length: count }, (_, n) => user(from + n, more))

async function mirrored(a: Partial<ScriptedTenant>, b: Partial<ScriptedTenant> = {}) {
  const server = await twoTenants(tenant({ clients: [client(1)], ...a }), tenant(b))
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const test = await testEngine({ settings: { baseUrl: server.url, userDetails: { perRun: 0 }, auth } })
  server.timestamp = () => new Date(test.clock.now()).toISOString()
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  test.clock.advance(6 * minuteMs)
  return { test, server }
}

const usersOf = (test: TestEngine) => everyRow(test)['users']

/** The sizes of the pages of users, in turn and then from the beginning. */
function sizes(server: TwoTenants, ...turns: readonly number[]): void {
  let n = 0
  server.pageSize = () => turns[n++ % turns.length] ?? 0
}

it.each([
  ['more and fewer', [20, 12, 27, 15, 31, 9, 22]],
  ['ever fewer', [30, 24, 18, 12, 6]],
  ['ever more', [6, 12, 18, 24, 30]],
] as const)('takes changed users from pages whose size varies from request to request: %s', async (_, turns) => {
  const { test, server } = await mirrored({ users: users(1, 60) })
  for (const one of server.a.users) one['mfaStatus'] = false
  sizes(server, ...turns)
  expect(ending(await test.run('users', 'full'))).toBe('success')
  expect(test.query('select count(*) as n from users where mfa_status = 0')).toEqual([{ n: 60 }])
})

const foreignPages: readonly (readonly [string, Partial<ScriptedTenant>, readonly number[]])[] = [
  ['a record that both show differs', { users: [...users(1, 5), ...users(6, 15, { state: 'Invited' })] }, [20, 10]],
  ['the shorter one ends the list', { users: users(1, 8) }, [20, 20]],
  ['the shorter one is empty', { users: [] }, [20, 20]],
  ['each shows one that the other does not', { users: [...users(1, 19), ...users(90, 20)] }, [20, 20]],
]

it.each(foreignPages)('refuses two reads of a page of users where %s', async (_, strange, turns) => {
  const { test, server } = await mirrored({ users: users(1, 40) }, strange)
  const before = usersOf(test)
  for (const one of server.a.users.slice(0, 30)) one['mfaStatus'] = false
  for (const one of server.b.users.slice(0, 19)) one['mfaStatus'] = false
  sizes(server, ...turns)
  let reads = 0
  server.choose((path) => (path === 'users' && reads++ > 0 ? server.b : server.a))
  expect(ending(await test.run('users', 'full'))).toBe('protocol')
  expect(usersOf(test)).toEqual(before)
})

it('refuses a page of a foreign tenant whose few users this tenant also has', async () => {
  const { test, server } = await mirrored({ users: users(1, 3) }, { users: [...users(1, 3), user(77)] })
  const before = usersOf(test)
  let reads = 0
  server.choose((path) => (path === 'users' && reads++ === 0 ? server.b : server.a))
  expect(ending(await test.run('users', 'full'))).toBe('protocol')
  expect(usersOf(test)).toEqual(before)
})
