import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { type Simulator, startSimulator } from '../../src/simulator/index.ts'
import { seriesOf } from '../metrics/support/parse.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { faintTexts, reader } from './support/browser.ts'
import { type PostgresServer, postgresServer } from './support/postgres-server.ts'
import { daemon, type Place, program, type RunningDaemon, until } from './support/program.ts'

const tenants = Array.from({ length: 9 }, (_, n) => `t${n + 1}`)

/** After its last heartbeat a replica counts as dead for ten seconds; others look every two. */
const takenWithinMs = 15_000

async function world(): Promise<{ simulator: Simulator; server: PostgresServer; place: Place }> {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 20 } })
  onTestFinished(() => simulator.close())
  const server = await postgresServer()
  const folder = temporaryFolder()
  const place = {
    folder,
    env: { TOKEN: simulator.tokens.reader, DATABASE: server.url, TENANTWATCH_CONFIG: 'config.yaml' },
  }
  writeFileSync(
    join(folder, 'config.yaml'),
    `tenants:
${tenants.map((name) => `  - { name: ${name}, baseUrl: "${simulator.baseUrl}", auth: { token: { env: TOKEN } } }`).join('\n')}
api: { pageSizeParameter: limit, requestsPerSecond: 0 }
schedule: { users: { incremental: "*/2 * * * * *" }, roles: { full: "*/2 * * * * *" }, evaluate: "*/5 * * * * *" }
store: { url: { env: DATABASE } }
server: { listen: "127.0.0.1:0" }
`,
  )
  return { simulator, server, place }
}

async function owned(replica: RunningDaemon): Promise<readonly string[]> {
  const { status, text } = await replica.get('/metrics')
  if (status !== 200) return []
  const names = (family: string) => seriesOf(text, family).filter(({ value }) => value === 1)
  const exported = new Set(names('tenantwatch_check_enabled').map(({ labels }) => labels['tenant'] ?? ''))
  expect([...exported].sort()).toEqual(
    names('tenantwatch_tenant_owned')
      .map(({ labels }) => labels['tenant'])
      .sort(),
  )
  return [...exported]
}

/** Resolves when each tenant is exported by exactly one of the replicas, and each replica has its share. */
function sharedBy(...replicas: readonly RunningDaemon[]): Promise<boolean> {
  const share = Math.ceil(tenants.length / replicas.length)
  return until(async () => {
    const all = await Promise.all(replicas.map(owned))
    const isEven = all.every((names) => names.length <= share)
    return isEven && all.flat().sort().join() === tenants.join()
  })
}

async function seconds(work: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work
  return (performance.now() - began) / 1000
}

it('replicas share the tenants, and take over those of one that was killed, stopped or frozen', async () => {
  const { server, place } = await world()
  const [a, b] = [await daemon(place), await daemon(place)]
  await sharedBy(a, b)
  const c = await daemon(place)
  await sharedBy(a, b, c)

  a.child.kill('SIGKILL')
  expect(await seconds(sharedBy(b, c))).toBeLessThan(takenWithinMs / 1000 + 5)

  b.child.kill('SIGSTOP')
  await delay(12_000)
  await sharedBy(c)
  const before = await server.query<{ count: number }>('select count(*)::int as count from runs')
  b.child.kill('SIGCONT')
  await sharedBy(b, c)
  expect(before[0]?.count).toBeGreaterThan(0)
  expect(b.stderr).not.toMatch(/"level":"?(error|50)/)

  b.child.kill('SIGTERM')
  const { code } = await b.ended
  expect(code).toBe(0)
  expect(await seconds(sharedBy(c))).toBeLessThan(8)
  const users = await server.query(
    'select tenant_id, count(*)::int as users from users where removed_at is null group by 1',
  )
  expect(users).toEqual(expect.arrayContaining(tenants.map(() => expect.objectContaining({ users: 20 }))))
})

interface Owner {
  readonly replica: string
  readonly alive: boolean
  readonly heartbeatAgeSeconds: number
}

async function ownersBy(replica: RunningDaemon): Promise<readonly Owner[]> {
  const { tenants: shown } = JSON.parse((await replica.get('/api/v1/status')).text)
  return shown.map(({ owner }: { readonly owner: Owner }) => owner)
}

it('each replica shows who owns a tenant, and after a kill that nobody does', async () => {
  const { server, place } = await world()
  const [a, b] = [await daemon(place), await daemon(place)]
  await sharedBy(a, b)
  const both = new Set((await ownersBy(b)).map(({ replica }) => replica))
  expect(both.size).toBe(2)
  const { page, picture, complaints } = await reader()
  await page.goto(b.url)
  expect(await page.locator('.more.owner').count()).toBe(tenants.length)
  await picture('replicas-owned', true)

  // Nobody can take a tenant while its row is locked.
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('begin')
  const ofA = await owned(a)
  a.child.kill('SIGKILL')
  await a.ended
  await client.query(
    'select 1 from tenant_owners o join tenants t on t.id = tenant_id where name = any($1) for update of o',
    [ofA],
  )
  const orphans = async () => (await ownersBy(b)).filter(({ alive }) => !alive)
  await until(async () => (await orphans()).length > 0)
  const found = await orphans()
  expect([found.length, new Set(found.map(({ replica }) => replica)).size]).toEqual([ofA.length, 1])
  expect(Math.min(...found.map(({ heartbeatAgeSeconds }) => heartbeatAgeSeconds))).toBeGreaterThanOrEqual(10)
  await page.goto(b.url)
  expect(await page.locator('.problem.owner').count()).toBe(ofA.length)
  expect(await faintTexts(page)).toEqual([])
  await picture('replicas-orphans', true)
  await client.query('rollback')
  await client.end()

  await sharedBy(b)
  expect(new Set((await ownersBy(b)).map(({ replica, alive }) => `${replica} ${alive}`)).size).toBe(1)
  expect(complaints).toEqual([])
})

it('sync refuses beside a replica, and says why', async () => {
  const { place } = await world()
  const a = await daemon(place)
  await sharedBy(a)
  const { code, stderr } = await program(place, 'sync').ended
  expect([code, stderr]).toEqual([3, expect.stringContaining('stop it first')])
  await sharedBy(a)
})

it('keeps answering while the server restarts or crashes, and heals', async () => {
  const { server, place } = await world()
  const [a, b] = [await daemon(place), await daemon(place)]
  await sharedBy(a, b)
  for (const how of ['fast', 'immediate'] as const) {
    server.stop(how)
    await delay(8000)
    for (const one of [a, b]) {
      expect((await one.get('/healthz')).status).toBe(200)
      expect((await one.get('/metrics')).text).toMatch(/tenantwatch_replica_tenants 0\n/)
    }
    server.start()
    await sharedBy(a, b)
  }
})
