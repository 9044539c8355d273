import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/time.ts'
import { testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'
import { client, document, engineOf, mirrored, role, tenant, user } from './support/two-tenants.ts'

const paths = ['authentication-settings', 'roles', 'permissions'] as const
type Contradicted = (typeof paths)[number]

/** One tenant whose newer state only some of the servers behind its address have. */
async function contradicted(resource: Contradicted, shows: (answer: number) => 'old' | 'new') {
  const ids = { clients: [client(1)], documents: [document(1)] }
  const grant = { permissionId: 9, name: 'n', module: 'm', function: 'f', code: 'Api_Users_Create' }
  const { settings } = tenant()
  const { test, server } = await mirrored(
    { ...ids, users: [user(1), user(2)], roles: [role(1), role(2)] },
    {
      ...ids,
      users: [user(1), user(2, { mfaStatus: false })],
      roles: [role(1, { permissions: [grant] }), role(2, { state: 'Inactive' })],
      settings: { ...settings, mfaEnabled: false },
      clients: [client(1, { roleName: 'Role 2' })],
    },
  )
  let answers = 0
  server.choose((path, cursor) =>
    path === resource && cursor === null && shows(answers++) === 'new' ? server.b : server.a,
  )
  /** Runs a full sync some minutes later. */
  const again = async () => {
    test.clock.advance(10 * minuteMs)
    return ending(await test.run(resource, 'full'))
  }
  return { server, again }
}

it.each(paths)('%s: an answer that was contradicted once is believed when all answers agree', async (resource) => {
  const { again, server } = await contradicted(resource, (n) => (n === 0 ? 'new' : 'old'))
  const endings = [await again(), await again()]
  expect(endings.at(-1)).toBe('success')
  server.asked.length = 0
  expect(await again()).toBe('success')
  expect(server.asked.filter((path) => path === resource)).toHaveLength(1)
})

it.each(paths)('%s: one answer of each run that differs from all later ones lets no run succeed', async (resource) => {
  let run = 0
  let answers = 0
  const { again } = await contradicted(resource, () => (run > 0 && answers++ === 0 ? 'new' : 'old'))
  for (run = 1; run < 6; run++) {
    answers = 0
    expect(await again()).toBe('contradictory')
  }
})

it('a first sync whose role differs at every read fails with its id, and without its text', async () => {
  const { test, server } = await engineOf({ clients: [client(1)], roles: [role(1), role(2)] })
  await test.run('api-clients')
  let reads = 0
  server.choose(() => ({ ...server.a, roles: [role(1), role(2, { description: `read ${++reads}` })] }))
  for (let n = 0; n < 2; n++) {
    test.clock.advance(10 * minuteMs)
    expect(await test.run('roles')).toMatchObject({ outcome: 'failure', reason: 'contradictory' })
  }
  const { message } = await test.mirror.syncState(test.engine.tenantId, 'roles')
  expect(message).toContain('differ in role 2.')
  expect(message).not.toContain('read ')
})

it('the first roles of a tenant whose clients are known are read again and proven before they are written', async () => {
  const { test, server } = await engineOf({ clients: [client(1)] }, { roles: [role(1, { name: 'Foreign' })] })
  await test.run('api-clients')
  let answers = 0
  // One answer in three is the foreign tenant's, as behind a balancer; the proofs are the tenant's own.
  server.choose((path) => (path === 'roles' && answers++ % 3 === 0 ? server.b : server.a))
  for (let round = 0; round < 3; round++) await test.run('roles')
  expect(test.query("select name from roles where name = 'Foreign'")).toEqual([])
})

it('the first answers of a tenant of which nothing proves whose data they are cost one request', async () => {
  const { test, server } = await engineOf({})
  for (const resource of ['api-clients', 'documents', 'users'] as const) await test.run(resource, 'full')
  server.asked.length = 0
  for (const resource of paths) expect(ending(await test.run(resource))).toBe('success')
  expect(server.asked.filter((asked) => paths.some((path) => path === asked)).toSorted()).toEqual(paths.toSorted())
})

it('reads a change twice also where nothing identifies the tenant', async () => {
  const test = await testEngine({ settings: { userDetails: { perRun: 0 } }, serves: ['roles'] })
  const requestsOfRun = async () => {
    test.sim.requests.clear()
    expect(ending(await test.run('roles'))).toBe('success')
    return test.sim.requests.count()
  }
  expect(await requestsOfRun()).toBe(1)
  test.sim.primary.roles.add({ name: 'Brand new' })
  expect(await requestsOfRun()).toBe(2)
})
