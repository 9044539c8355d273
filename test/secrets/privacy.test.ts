import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Io } from '../../src/model/process/io.ts'
import type { FaultEffect } from '../../src/simulator/index.ts'
import { openWorld, startTime, type World } from '../hostile/support/world.ts'
import { overRecords } from '../support/record-tables.ts'
import { filesIn } from './support/files.ts'

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
    requirements: [{ id: policy, pattern: "canary*-2024.docx", maxAgeDays: 30 }]
`

/** A tenant in which every name, address and file name is a canary, and every check has a finding about them. */
async function peopled(listen: string, more: string): Promise<World> {
  const world = await openWorld({ listen, more, simulator: { problems: false, sizes: { users: 4, documents: 4 } } })
  const { primary } = world.simulator
  const person = { firstName: 'Canary', lastName: 'McCanary', email: 'canary@example.com' }
  const old = { createdAt: '2024-01-01T00:00:00Z' }
  primary.users.add({ ...person, mfaStatus: false })
  primary.users.add({ ...person, ...old, state: 'Invited' })
  primary.users.add({ ...person, state: 'Suspended' })
  primary.users.add({ ...person, raw: { roleId: 987_654, roleName: 'No such role' } })
  primary.users.add({ ...person, raw: { mfaStatus: 'false' } })
  primary.users.add({ ...person, raw: { userId: 'seven' } })
  primary.users.add({ ...person, raw: { nickname: 'Canary', contacts: [{ email: 'canary@example.com' }] } })
  for (const filename of ['canary.pdf', 'canary.pdf', 'canary-2024.docx']) {
    primary.documents.add({ filename, ...old, updatedAt: null, uploadStatus: 'Lost' })
    primary.documents.add({ filename, raw: { createdAt: 'yesterday' } })
  }
  primary.documents.add({ filename: 'canary-2024.docx', ...old, updatedAt: null, uploadStatus: 'Completed' })
  return world
}

/** Everything that happens to a tenant in a life, at the finest log level. */
async function runEverything(world: World, io: Partial<Io> = {}): Promise<string> {
  const sync = async (...args: readonly string[]) => (await world.runWith(io, 'sync', ...args)).stderr
  let log = await sync()
  for (const effect of faults) {
    const { id } = world.simulator.faults.add({ path: '/api/public/*', effect })
    world.pass(3_600_000)
    log += await sync('--full')
    world.simulator.faults.remove(id)
  }
  const [user, other] = [...world.simulator.primary.users.all()].filter(({ email }) => canary.test(email))
  world.simulator.primary.users.update(user?.userId ?? 0, { firstName: 'Canary II', email: 'canary2@example.com' })
  world.simulator.primary.users.remove(other?.userId ?? 0)
  world.pass(3_600_000)
  log += await sync('--full')
  log += (await world.run('doctor')).stdout
  return log
}

it.each(['127.0.0.1:0', '0.0.0.0:0'])(
  'keeps persons and file names out of metrics and log, and shows them on loopback only: %s',
  async (listen) => {
    await using world = await peopled(listen, checks)
    const log = await runEverything(world)
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

it.each(['daemon', 'sync'])(
  'leaves nothing of persons and files in the database once their time is over: %s',
  async (how) => {
    const simulator = { problems: false, sizes: { users: 40, documents: 10 } }
    const more = 'history: { retentionDays: 1 }\nschedule: { evaluate: "* * * * *" }'
    await using world = await openWorld({ simulator, more })
    const { primary } = world.simulator
    const person = { firstName: 'Canary', lastName: 'McCanary', email: 'canary@example.com', mfaStatus: false }
    const leaving = primary.users.add({ ...person, raw: { nickname: 'Canary' } })
    const renamed = primary.users.add(person)
    const document = primary.documents.add({ filename: 'canary.pdf', uploadStatus: 'Lost' })
    const again = async (hours: number) => {
      world.pass(hours * 3_600_000)
      expect(await world.run('sync', '--full')).toMatchObject({ code: 0 })
    }
    await again(0)
    primary.users.remove(leaving.userId)
    primary.users.update(renamed.userId, {
      firstName: 'R',
      lastName: 'Enamed',
      email: 'r@example.com',
      mfaStatus: true,
    })
    primary.documents.remove(document.fileId)
    await again(7)
    await again(7)
    expect(filesIn(world.folder)).toMatch(canary)
    world.pass(2 * 24 * 3_600_000)
    if (how === 'sync') await again(0)
    else {
      // The scheduler asks the system when an expression fires.
      vi.useFakeTimers({ toFake: ['Date'], now: world.now() })
      onTestFinished(() => void vi.useRealTimers())
      await using daemon = await world.daemon()
      await daemon.caughtUp
      const beside = new BetterSqlite3(world.store, { readonly: true })
      // Nothing is erased in the first ten minutes.
      world.pass(600_000)
      const left = beside.prepare(
        overRecords(`select (select count(*) from events where kind like 'record.%' and data is not null and at < ${startTime + 24 * 3_600_000}) +
        (select count(*) from users where removed_at is not null and email is not null)`),
      )
      await vi.waitFor(() => expect(left.pluck().get()).toBe(0), { timeout: 60_000 })
      beside.close()
    }
    expect(canary.exec(filesIn(world.folder))?.[0]).toBeUndefined()
  },
)
