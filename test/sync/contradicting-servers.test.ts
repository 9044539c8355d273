import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { ending } from '../support/sync-queries.ts'
import { client, document, role, type TwoTenants, tenant, twoTenants, user } from './support/two-tenants.ts'

const paths = ['authentication-settings', 'roles', 'permissions'] as const
type Contradicted = (typeof paths)[number]

interface Scene {
  readonly test: TestEngine
  readonly server: TwoTenants
  /** Runs a full sync some minutes later. */
  again(): Promise<string>
}

/** One tenant whose newer state only some of the servers behind its address have. */
async function scene(resource: Contradicted, shows: (answer: number) => 'old' | 'new'): Promise<Scene> {
  const ids = { clients: [client(1)], documents: [document(1)] }
  const old = tenant({ ...ids, users: [user(1), user(2)], roles: [role(1), role(2)] })
  const grant = { permissionId: 9, name: 'n', module: 'm', function: 'f', code: 'Api_Users_Create' }
  const now = tenant({
    ...ids,
    users: [user(1), user(2, { mfaStatus: false })],
    roles: [role(1, { permissions: [grant] }), role(2, { state: 'Inactive' })],
    settings: { ...old.settings, mfaEnabled: false },
    clients: [client(1, { roleName: 'Role 2' })],
  })
  const server = await twoTenants(old, now)
  const auth = { header: 'Authorization', scheme: 'Bearer' } as const
  const test = await testEngine({ settings: { baseUrl: server.url, userDetails: { perRun: 0 }, auth } })
  server.timestamp = () => new Date(test.clock.now()).toISOString()
  await test.runAll('full')
  let answers = 0
  server.choose((path, cursor) => (path === resource && cursor === null && shows(answers++) === 'new' ? now : old))
  return {
    test,
    server,
    async again() {
      test.clock.advance(10 * minuteMs)
      return ending(await test.run(resource, 'full'))
    },
  }
}

it.each(paths)('%s: an answer that was contradicted once is believed when all answers agree', async (resource) => {
  const { again, server } = await scene(resource, (n) => (n === 0 ? 'new' : 'old'))
  const endings = [await again(), await again()]
  expect(endings.at(-1)).toBe('success')
  server.asked.length = 0
  expect(await again()).toBe('success')
  expect(server.asked.filter((path) => path === resource)).toHaveLength(1)
})

it.each(paths)('%s: one answer of each run that differs from all later ones lets no run succeed', async (resource) => {
  let run = 0
  let answers = 0
  const { again } = await scene(resource, () => (run > 0 && answers++ === 0 ? 'new' : 'old'))
  for (run = 1; run < 6; run++) {
    answers = 0
    expect(await again()).toBe('contradictory')
  }
})

it('a first sync whose role differs at every read fails with its id and field, and without its text', async () => {
  const server = await twoTenants(tenant({ clients: [client(1)], roles: [role(1), role(2)] }), tenant({}))
  const auth = { header: 'Authorization', scheme: 'Bearer' } as const
  const test = await testEngine({ settings: { baseUrl: server.url, auth } })
  server.timestamp = () => new Date(test.clock.now()).toISOString()
  await test.run('api-clients')
  let reads = 0
  server.choose(() => ({ ...server.a, roles: [role(1), role(2, { description: `read ${++reads}` })] }))
  for (let n = 0; n < 2; n++) {
    test.clock.advance(10 * minuteMs)
    expect(await test.run('roles')).toMatchObject({ outcome: 'failure', reason: 'contradictory' })
  }
  const { message } = await test.mirror.syncState(test.engine.tenantId, 'roles')
  expect(message).toMatch(/^Two answers of roles differ: role 2 in description/)
  expect(message).not.toContain('read ')
})
