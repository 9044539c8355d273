import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'
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
