import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { exitCodeOf } from '../../src/commands/support/exit-code.ts'
import { syncRound } from '../../src/daemon/sync-round.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import type { EndedRun } from '../../src/model/run-result.ts'
import { secondMs } from '../../src/model/time.ts'
import { openWorld } from '../hostile/support/world.ts'
import { reloadable } from './support/reloading.ts'

const tenants = { acme: '', zeta: '' }

async function asked(origin: string, query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/-/sync${query}`, { method: 'POST', headers })
  const text = await response.text()
  return { status: response.status, text, runs: response.ok ? (JSON.parse(text) as readonly EndedRun[]) : [] }
}

const named = (runs: readonly EndedRun[]) =>
  runs.map(({ tenant, resource, mode, outcome }) => [tenant, resource, mode, outcome].join(' ')).toSorted()

it('syncs a resource of one tenant on request, and shows what it found', async () => {
  const world = await reloadable({ tenants })
  const [user] = [...world.simulator.primary.users.all()]
  world.simulator.primary.users.update(user?.userId ?? 0, { mfaStatus: user?.mfaStatus !== true })
  const { status, runs } = await asked(world.origin, '?tenant=acme&resource=users&mode=full')
  expect([status, named(runs)]).toEqual([200, ['acme users full success']])
  expect(runs[0]).toMatchObject({ counts: { updated: 1 }, reason: null, message: null })
  expect(await world.get('/api/v1/findings')).toContain(`"id":"${user?.userId}"`)
})

it('runs a resource on request at most once a minute, and what is due of the others', async () => {
  const { origin } = await reloadable({ tenants })
  expect(named((await asked(origin, '?tenant=zeta&resource=roles')).runs)).toEqual(['zeta roles full success'])
  const again = await asked(origin, '?tenant=zeta&resource=roles&mode=full')
  expect([again.status, named(again.runs)]).toEqual([200, ['zeta roles full skipped']])
  expect(again.runs[0]?.message).toMatch(/ from \d{4}-\d\d-\d\dT[\d:]+Z$/)
  const others = named((await asked(origin, '?mode=full')).runs)
  expect(others).toHaveLength(Object.keys(tenants).length * resourceNames.length)
  expect(others.filter((one) => !one.endsWith(' success'))).toEqual(['zeta roles full skipped'])
})

it('fails the command for a run that is skipped because it has just failed, or could not be stored', async () => {
  const { origin, simulator, folder } = await reloadable()
  simulator.faults.add({ path: '/api/public/roles', effect: { kind: 'status', status: 400 } })
  const beside = new BetterSqlite3(join(folder, 'mirror.db'))
  onTestFinished(() => void beside.close())
  const noEnd = `create trigger refused before insert on runs begin select raise(abort, 'refused by the test'); end`
  for (const [resource, reason] of Object.entries({ roles: 'client_error', permissions: 'store' })) {
    if (reason === 'store') beside.exec(noEnd)
    for (const outcome of ['failure', 'skipped']) {
      const { runs } = await asked(origin, `?resource=${resource}`)
      const { code } = exitCodeOf({ results: runs, postures: [], failOn: undefined })
      expect([runs, code]).toMatchObject([[{ outcome, reason }], 3])
    }
  }
})

it('answers for a resource without an incremental sync, or switched off, why it does not run', async () => {
  const { origin } = await reloadable({ tenants, more: 'resources: { documents: { enabled: false } }' })
  for (const [resource, mode] of [
    ['roles', 'incremental'],
    ['documents', 'full'],
  ]) {
    const { runs } = await asked(origin, `?tenant=acme&resource=${resource}&mode=${mode}`)
    expect([named(runs), runs[0]?.message]).toEqual([[`acme ${resource} ${mode} skipped`], expect.any(String)])
  }
})

it('syncs a tenant that a reload is changing with its new settings', async () => {
  const { session, configure, daemon } = await reloadable()
  const { openTenant } = session.mirror
  const rounds: Promise<unknown>[] = []
  const asking = (...tenant: Parameters<typeof openTenant>) => {
    rounds.push(syncRound(session, { resource: 'users', mode: 'full' }, new AbortController().signal))
    return openTenant(...tenant)
  }
  Object.assign(session.mirror, { openTenant: asking })
  configure({ tenants: { acme: 'api: { maxPages: 7 }' } })
  expect((await daemon.reload()).ok).toBe(true)
  expect(await rounds[0]).toMatchObject([{ resource: 'users', outcome: 'success' }])
})

it('evaluates when a secret expires that a run on request has read', async () => {
  const { origin, simulator, metric } = await reloadable()
  const clients = simulator.primary['api-clients']
  for (const { clientId } of clients.all()) clients.update(clientId, { secretExpirationDate: '2099-01-01T00:00:00Z' })
  clients.add({ secretExpirationDate: new Date(Date.now() + 2 * secondMs).toISOString() })
  await asked(origin, '?tenant=acme&resource=api-clients')
  const expired = 'tenantwatch_check_status{tenant="acme",check="api-client-secret-not-expired",status="fail"}'
  await vi.waitFor(async () => expect(await metric(expired)).toBe(1), 15 * secondMs)
})

it('refuses unknown names and other sites, and runs nothing then', async () => {
  const { origin, simulator } = await reloadable({ tenants })
  const before = simulator.requests.count()
  expect((await asked(origin, '?tenant=acne')).status).toBe(404)
  expect((await asked(origin, '?resource=people')).status).toBe(400)
  expect((await asked(origin, '', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await fetch(`${origin}/-/sync`)).status).toBe(405)
  expect(simulator.requests.count()).toBe(before)
})

it('lets the daemon sync for the command beside it, and prints the outcome', async () => {
  await using world = await openWorld()
  await using daemon = await world.daemon()
  await daemon.caughtUp
  Object.assign(world.env, { TENANTWATCH_LISTEN: new URL(daemon.origin).host })
  const { code, stdout } = await world.run('sync', '--resource', 'roles', '--full')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\w+ +roles +full +ok +\+0 ~0 -0 =\d+ /m)])
  const file = join(world.folder, 'tenantwatch.yaml')
  const added = `  - { name: new, baseUrl: "${world.simulator.baseUrl}", auth: { token: { command: [cat, x] } } }`
  writeFileSync(file, readFileSync(file, 'utf8').replace('\napi:', `\n${added}\napi:`))
  expect((await world.run('sync')).stderr).toContain('the running daemon has not loaded it, reload that: new')
  const { origin } = await reloadable({ tenants })
  Object.assign(world.env, { TENANTWATCH_LISTEN: new URL(origin).host })
  expect(await world.run('sync', '--full')).toMatchObject({ code: 3, stderr: expect.stringContaining('409 ') })
  Object.assign(world.env, { TENANTWATCH_LISTEN: '127.0.0.1:2' })
  expect(await world.run('sync')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/127.0.0.1:2, .*ECONNREFUSED/),
  })
})
