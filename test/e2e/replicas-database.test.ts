import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/temporary.ts'
import { mirrorDifferences } from './support/mirror-differences.ts'
import { postgresServer } from './support/postgres-server.ts'
import { daemon, type RunningDaemon, until } from './support/program.ts'
import { hurried, type Prometheus, startPrometheus } from './support/prometheus.ts'
import { watchReplicas } from './support/replica-watch.ts'
import { replicaPlaces, sharedBy, startTenants, type Tenants } from './support/replicas.ts'
import { type TcpProxy, tcpProxy } from './support/tcp-proxy.ts'

/** Seldom enough for a machine that has other things to do. */
const schedule = `schedule:
  users: { incremental: "*/20 * * * * *", full: "* * * * *" }
  documents: { incremental: "*/30 * * * * *", full: "* * * * *" }
  api-clients: { full: "* * * * *" }
  roles: { full: "* * * * *" }
  permissions: { full: "* * * * *" }
  authentication-settings: { full: "* * * * *" }
  evaluate: "*/20 * * * * *"
`

/** Adds users, and changes and removes those without a finding, so that findings only become more. */
function changes(tenants: Tenants): () => void {
  const compliant = new Map<string, number[]>()
  let turn = 0
  return () => {
    turn++
    for (const [name, { primary }] of tenants) {
      const [gone, renamed, ...others] = compliant.get(name) ?? []
      if (gone !== undefined) primary.users.remove(gone)
      if (renamed !== undefined) primary.users.update(renamed, { lastName: `Renamed ${turn}` })
      const added = [1, 2].map(() => primary.users.add({ state: 'Active', mfaStatus: true }).userId)
      primary.users.add({ state: 'Active', mfaStatus: false, mfaAction: false })
      compliant.set(
        name,
        [renamed ?? 0, ...others, ...added].filter((id) => id !== 0),
      )
    }
  }
}

const rules = readFileSync('config/prometheus/rules.yml', 'utf8')

/** Firing alerts on findings and secrets: they outlive whatever happens to a replica. */
function ofFindings(): string {
  const { groups } = parse(rules) as { groups: { rules: { alert?: string; expr: string }[] }[] }
  const all = groups.flatMap((group) => group.rules)
  const names = all.flatMap(({ alert, expr }) => (alert !== undefined && expr.includes(':last_known') ? [alert] : []))
  return `ALERTS{alertstate="firing",tenant!="",alertname=~"${names.join('|')}"}`
}

async function firing(prometheus: Prometheus): Promise<readonly string[]> {
  return (await prometheus.query(ofFindings())).map(({ metric }) => JSON.stringify(metric)).sort()
}

/** Alerts that did not fire at each second since then. */
async function interrupted(
  prometheus: Prometheus,
  from: number,
  alerts: readonly string[],
): Promise<readonly string[]> {
  const found = await prometheus.since(ofFindings(), from)
  const seconds = Math.max(...found.map(({ values = [] }) => values.length))
  const always = found
    .filter(({ values = [] }) => values.length === seconds)
    .map(({ metric }) => JSON.stringify(metric))
  return alerts.filter((alert) => !always.includes(alert))
}

/** Alerts wait for the age of what they are about; then their number stays. */
async function settled(prometheus: Prometheus): Promise<readonly string[]> {
  let known: readonly string[] = []
  return until(async () => {
    const before = known
    known = await firing(prometheus)
    if (known.length > 0 && known.length === before.length) return known
    await delay(10_000)
    return undefined
  })
}

it('replicas are killed, stopped for a while and cut off from their database: no alert on a finding ends or doubles', async () => {
  const tenants = await startTenants(40, { users: 20, documents: 8 })
  const change = changes(tenants)
  const server = await postgresServer()
  const place = replicaPlaces(tenants, schedule)
  const ways: TcpProxy[] = []
  for (let n = 0; n < 4; n++) ways.push(await tcpProxy(server.port))
  const start = async (n: number) => daemon(place(ways[n]?.port ?? 0))
  const shared = (...replicas: readonly RunningDaemon[]) => sharedBy(tenants.keys(), ...replicas)
  const equal = () => until(async () => (await mirrorDifferences(server, tenants)).length === 0)
  const [a, b, c] = await Promise.all([start(0), start(1), start(2)])
  await shared(a, b, c)
  await equal()

  const prometheus = await startPrometheus(temporaryFolder(), hurried(rules), { interval: '2s' })
  prometheus.scrape(a.url, b.url, c.url)
  const watch = watchReplicas(server)
  for (const [name, { url }] of Object.entries({ a, b, c })) watch.add(name, url)
  const known = await settled(prometheus)
  const from = Date.now() / 1000

  a.child.kill('SIGKILL')
  change()
  await shared(b, c)
  const d = await start(3)
  watch.add('d', d.url)
  prometheus.scrape(a.url, b.url, c.url, d.url)
  await shared(b, c, d)

  b.child.kill('SIGSTOP')
  change()
  await delay(30_000)
  await shared(c, d)
  b.child.kill('SIGCONT')
  await shared(b, c, d)

  for (const cut of ['refuse', 'silence'] as const) {
    await ways[2]?.[cut]()
    change()
    await shared(b, d)
    await expectCutOff(c)
    await ways[2]?.open()
    await shared(b, c, d)
  }

  change()
  await equal()
  for (const one of [b, c, d]) {
    expect((await one.get('/healthz')).status).toBe(200)
    await until(async () => (await one.get('/readyz')).status === 200)
    expect(one.stderr).not.toMatch(/"level":50/)
  }
  const watched = await watch.end()
  expect(watched.faults).toEqual([])
  expect(watched.samples).toBeGreaterThan(30)
  expect(watched.longestGap).toBeLessThan(60)
  expect(await interrupted(prometheus, from, known)).toEqual([])
  // The alerts of a tenant are the same ones, whichever replica exports it.
  expect((await firing(prometheus)).join()).not.toMatch(/"instance"/)
  console.log({ ...watched, alerts: known.length, seconds: Date.now() / 1000 - from })
})

/** A replica without its database answers, owns nothing and says so. */
async function expectCutOff(replica: RunningDaemon): Promise<void> {
  expect((await replica.get('/healthz')).status).toBe(200)
  expect((await replica.get('/metrics')).text).toMatch(/tenantwatch_replica_tenants 0\n/)
  expect((await replica.get('/readyz')).status).toBe(503)
}
