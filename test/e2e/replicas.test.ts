import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { postgresServer } from './support/postgres-server.ts'
import { daemon, program, type RunningDaemon } from './support/program.ts'
import { replicaPlaces, seconds, sharedBy, startTenants } from './support/replicas.ts'

/** After its last heartbeat a replica counts as dead for ten seconds; others look every two. */
const takenWithinMs = 15_000

async function world() {
  const tenants = await startTenants(9, { users: 20 })
  const server = await postgresServer()
  const more =
    'schedule: { users: { incremental: "*/2 * * * * *" }, roles: { full: "*/2 * * * * *" }, evaluate: "*/5 * * * * *" }'
  const place = replicaPlaces(tenants, more)(server.port)
  const shared = (...replicas: readonly RunningDaemon[]) => sharedBy(tenants.keys(), ...replicas)
  return { tenants, server, place, shared }
}

it('replicas share the tenants, and take over those of one that was killed, stopped or frozen', async () => {
  const { tenants, server, place, shared } = await world()
  const [a, b] = [await daemon(place), await daemon(place)]
  await shared(a, b)
  const c = await daemon(place)
  await shared(a, b, c)

  a.child.kill('SIGKILL')
  expect(await seconds(shared(b, c))).toBeLessThan(takenWithinMs / 1000 + 5)

  b.child.kill('SIGSTOP')
  await delay(12_000)
  await shared(c)
  const before = await server.query<{ count: number }>('select count(*)::int as count from runs')
  b.child.kill('SIGCONT')
  await shared(b, c)
  expect(before[0]?.count).toBeGreaterThan(0)
  expect(b.stderr).not.toMatch(/"level":"?(error|50)/)

  b.child.kill('SIGTERM')
  const { code } = await b.ended
  expect(code).toBe(0)
  expect(await seconds(shared(c))).toBeLessThan(8)
  const users = await server.query(
    `select tenant_id, count(*)::int as users from records where resource = 'users' and removed_at is null group by 1`,
  )
  expect(users).toEqual(expect.arrayContaining([...tenants].map(() => expect.objectContaining({ users: 20 }))))
})

it('sync refuses beside a replica, and says why', async () => {
  const { place, shared } = await world()
  const a = await daemon(place)
  await shared(a)
  const { code, stderr } = await program(place, 'sync').ended
  expect([code, stderr]).toEqual([3, expect.stringContaining('stop it first')])
  await shared(a)
})

it('keeps answering while the server restarts or crashes, and heals', async () => {
  const { server, place, shared } = await world()
  const [a, b] = [await daemon(place), await daemon(place)]
  await shared(a, b)
  for (const how of ['fast', 'immediate'] as const) {
    server.stop(how)
    await delay(8000)
    for (const one of [a, b]) {
      expect((await one.get('/healthz')).status).toBe(200)
      expect((await one.get('/metrics')).text).toMatch(/tenantwatch_replica_tenants 0\n/)
    }
    server.start()
    await shared(a, b)
  }
})
