import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'
import { client, role, type ScriptedTenant, type TwoTenants, tenant, twoTenants } from './support/two-tenants.ts'

const own = ['permissions', 'roles', 'authentication-settings'] as const
const path = new Set<string>(own)

/** A mirror of a tenant without any complete answer yet; `b` is a foreign tenant. */
async function mirrored(a: Partial<ScriptedTenant>): Promise<{ test: TestEngine; server: TwoTenants }> {
  const server = await twoTenants(tenant(a), tenant({ roles: [role(1, { name: 'Foreign' })] }))
  const auth = { header: 'Authorization', scheme: 'Bearer' } as const
  const test = await testEngine({ settings: { baseUrl: server.url, userDetails: { perRun: 0 }, auth } })
  server.timestamp = () => new Date(test.clock.now()).toISOString()
  for (const resource of ['api-clients', 'documents', 'users'] as const) await test.run(resource, 'full')
  test.clock.advance(6 * minuteMs)
  server.asked.length = 0
  return { test, server }
}

it('the first roles of a tenant whose clients are known are read again and proven before they are written', async () => {
  const { test, server } = await mirrored({ clients: [client(1)] })
  let answers = 0
  // One answer in three is the foreign tenant's, as behind a balancer; the proofs are the tenant's own.
  server.choose((asked) => (path.has(asked) && answers++ % 3 === 0 ? server.b : server.a))
  for (let round = 0; round < 3; round++) await test.run('roles')
  expect(test.query("select name from roles where name = 'Foreign'")).toEqual([])
})

it('the first answers of a tenant of which nothing proves whose data they are cost one request', async () => {
  const { test, server } = await mirrored({})
  for (const resource of own) expect(ending(await test.run(resource))).toBe('success')
  expect(server.asked.filter((asked) => path.has(asked)).toSorted()).toEqual([...own].toSorted())
})
