import { expect, it, vi } from 'vitest'
import type { FaultEffect } from '../../src/simulator/index.ts'
import { openWorld, type World } from '../hostile/support/world.ts'

vi.setConfig({ testTimeout: 60_000 })

const canary = /canary/i
const faults: readonly FaultEffect[] = [
  { kind: 'status', status: 500 },
  { kind: 'body', body: '{"data":[{"email":"canary@example.com"}],"pagination":' },
  { kind: 'body', status: 400, body: '{"error":{"code":"X","message":"canary@example.com is not valid"}}' },
  { kind: 'set', path: 'pagination.nextCursor', value: { email: 'canary@example.com' } },
  { kind: 'set', path: 'data', value: 'canary@example.com' },
  { kind: 'reset', when: 'mid' },
]

const checks = `
checks:
  document-required-present:
    requirements: [{ id: policy, pattern: "*-2024.docx", maxAgeDays: 30 }]
`

/** A tenant in which every name, address and file name is a canary, and every check has something to say about them. */
async function peopled(listen: string, more: string): Promise<World> {
  const world = await openWorld({ listen, more, simulator: { problems: false, sizes: { users: 4, documents: 4 } } })
  const { primary } = world.simulator
  const person = { firstName: 'Canary', lastName: 'McCanary', email: 'canary@example.com' }
  const old = { createdAt: '2024-01-01T00:00:00Z' }
  primary.addUser({ ...person, mfaStatus: false })
  primary.addUser({ ...person, ...old, state: 'Invited' })
  primary.addUser({ ...person, state: 'Suspended' })
  primary.addUser({ ...person, raw: { roleId: 987_654, roleName: 'No such role' } })
  primary.addUser({ ...person, raw: { mfaStatus: 'false' } })
  primary.addUser({ ...person, raw: { userId: 'seven' } })
  primary.addUser({ ...person, raw: { nickname: 'Canary', contacts: [{ email: 'canary@example.com' }] } })
  for (const filename of ['canary.pdf', 'canary.pdf', 'canary-2024.docx']) {
    primary.addDocument({ filename, ...old, updatedAt: null, uploadStatus: 'Lost' })
    primary.addDocument({ filename, raw: { createdAt: 'yesterday' } })
  }
  primary.addDocument({ filename: 'canary-2024.docx', ...old, updatedAt: null, uploadStatus: 'Completed' })
  return world
}

/** Everything that happens to a tenant in a life, at the finest log level. */
async function lived(world: World): Promise<string> {
  let log = (await world.run('sync')).stderr
  for (const effect of faults) {
    const { id } = world.simulator.faults.add({ path: '/api/public/*', effect })
    world.pass(3_600_000)
    log += (await world.run('sync', '--sweep')).stderr
    world.simulator.faults.remove(id)
  }
  const [user, other] = [...world.simulator.state().users()].filter(({ email }) => canary.test(email))
  world.simulator.primary.updateUser(user?.userId ?? 0, { firstName: 'Canary II', email: 'canary2@example.com' })
  world.simulator.primary.removeUser(other?.userId ?? 0)
  world.pass(3_600_000)
  log += (await world.run('sync', '--sweep')).stderr
  log += (await world.run('doctor')).stdout
  return log
}

it.each(['127.0.0.1:0', '0.0.0.0:0'])(
  'keeps persons and file names out of metrics and log, and shows them on loopback only: %s',
  async (listen) => {
    await using world = await peopled(listen, checks)
    const log = await lived(world)
    const { stdout: metrics } = await world.run('metrics')
    const { stdout: summary } = await world.run('sync')
    await using daemon = await world.daemon()
    const get = async (path: string) => (await fetch(daemon.origin + path)).text()
    for (const path of ['/metrics', '/api/v1/status', '/api/v1/checks', '/healthz', '/readyz'])
      expect([path, canary.exec(await get(path))?.[0]]).toEqual([path, undefined])
    const details = listen.startsWith('127.')
    for (const path of ['/', '/api/v1/findings', '/api/v1/findings?state=all'])
      expect([path, canary.test(await get(path))]).toEqual([path, details])
    const found = JSON.parse(await get('/api/v1/findings')) as readonly { readonly check: string }[]
    expect(new Set(found.map(({ check }) => check))).toEqual(
      new Set([
        'document-current',
        'document-name-unique',
        'document-required-present',
        'document-status-known',
        'user-invitation-accepted',
        'user-mfa-enrolled',
        'user-role-active',
      ]),
    )
    expect(log.length).toBeGreaterThan(5000)
    for (const text of [log, metrics, summary, daemon.logged()]) expect(canary.exec(text)?.[0]).toBeUndefined()
  },
)
