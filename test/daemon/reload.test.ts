import { expect, it, vi } from 'vitest'
import { secondMs } from '../../src/model/time.ts'
import { reloadable, users } from '../commands/support/reloading.ts'

const both = { acme: '', zeta: '' }
const gauge = 'tenantwatch_config_last_reload_successful'
const stamp = 'tenantwatch_config_last_reload_success_timestamp_seconds'
const waiver = (id: string, owner: string) =>
  `{ id: ${id}, check: user-mfa-enrolled, entity: "*", tenant: acme, reason: "Accepted until the roll-out ends", owner: ${owner}, expires: 2999-12-31 }`
const signal = () => new AbortController().signal

it('takes a tenant in, and disturbs no other', async () => {
  const world = await reloadable()
  const [acme] = world.session.tenants
  const asked = world.simulator.requests.filter(({ tenant }) => tenant === 'primary').length
  world.configure({ tenants: both })
  expect(await world.daemon.reload()).toEqual({ ok: true, text: 'Reloaded: added zeta' })
  await world.mirrored('zeta')
  expect(world.simulator.requests.filter(({ tenant }) => tenant === 'primary')).toHaveLength(asked)
  expect(world.session.tenants.map(({ settings }) => settings.name)).toEqual(['acme', 'zeta'])
  expect(world.session.tenants[0]).toMatchObject({ engine: acme?.engine, client: acme?.client })
  const runs = 'tenantwatch_sync_runs_total{tenant="acme",resource="users",mode="full",outcome="success"}'
  expect(await world.metric(runs)).toBe(1)
  expect(world.logged('Configuration reloaded')).toMatchObject([{ added: ['zeta'], changed: [], removed: [] }])
})

it('takes a tenant out: no series, findings closed, rows kept; and in again where it was', async () => {
  const world = await reloadable({ tenants: both })
  const runs = 'tenantwatch_sync_runs_total{tenant="zeta",resource="users",mode="full",outcome="success"}'
  expect(await world.metric(runs)).toBe(1)
  const findings = JSON.parse(await world.get('/api/v1/findings?tenant=zeta'))
  expect(findings.length).toBeGreaterThan(0)
  world.configure({ tenants: { acme: '' } })
  expect(await world.daemon.reload()).toEqual({ ok: true, text: 'Reloaded: removed zeta' })
  expect(await world.series('zeta')).toEqual([])
  expect(await world.get('/')).not.toContain('zeta')
  // With the evaluation that follows the reload.
  await vi.waitFor(async () => {
    const closed = await Array.fromAsync(world.session.views.findings({ tenant: 'zeta', states: ['open', 'resolved'] }))
    expect(closed.map(({ state, resolution }) => `${state} ${resolution}`)).toEqual(
      findings.map(() => 'resolved tenant_removed'),
    )
  }, 30_000)
  world.configure({ tenants: both })
  expect((await world.daemon.reload()).text).toBe('Reloaded: added zeta')
  expect(await world.metric(`tenantwatch_mirror_records{tenant="zeta",resource="users"}`)).toBe(users)
  expect(await world.metric(runs)).toBe(1)
  await vi.waitFor(async () => {
    const open = JSON.parse(await world.get('/api/v1/findings?tenant=zeta'))
    expect(open.map(({ fingerprint }: { fingerprint: string }) => fingerprint).toSorted()).toEqual(
      findings.map(({ fingerprint }: { fingerprint: string }) => fingerprint).toSorted(),
    )
  }, 30_000)
})

it('evaluates by new thresholds without asking the tenant for anything', async () => {
  const world = await reloadable({ more: 'checks: { document-current: { days: 30000 } }' })
  const [former] = world.session.tenants
  const asked = world.simulator.requests.count()
  const status = async () => /check="document-current",status="(\w+)"\} 1/.exec(await world.get('/metrics'))?.[1]
  expect(await status()).toBe('pass')
  world.configure({ more: 'checks: { document-current: { days: 1 } }' })
  expect((await world.daemon.reload()).text).toBe('Reloaded: changed acme')
  await vi.waitFor(async () => expect(await status()).toBe('fail'), 30_000)
  expect(world.session.tenants[0]?.engine).toBe(former?.engine)
  expect(world.simulator.requests.count()).toBe(asked)
})

it('takes waivers, exposure and retention from the next look on', async () => {
  const world = await reloadable()
  const all = JSON.parse(await world.get('/api/v1/findings?check=user-mfa-enrolled')).length
  expect(all).toBeGreaterThan(0)
  world.configure({
    more: `waivers: [${waiver('W-1', 'sec')}]\nhistory: { retentionDays: 7 }`,
    server: 'exposeDetails: false',
  })
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  expect(JSON.parse(await world.get('/api/v1/findings?check=user-mfa-enrolled'))).toEqual([])
  expect(await world.get('/')).toContain('are hidden on this address')
  expect(world.session.settings.historyRetentionDays).toBe(7)
})

it('ends a run of a changed tenant first, and lets that of another continue', async () => {
  const world = await reloadable({ tenants: both })
  const { session } = world
  const ended: string[] = []
  const held = Promise.withResolvers<void>()
  world.simulator.onRequest(() => held.promise)
  const full = async (name: string) => {
    const tenant = await session.settledTenant(name)
    await tenant?.work(signal(), async (stop) => {
      const run = { resource: 'users', mode: 'full' } as const
      const { reason, outcome } = await session.syncAndEvaluate(tenant, run, stop)
      ended.push(`${name} ${reason ?? outcome}`)
    })
  }
  const running = [full('acme'), full('zeta')]
  await world.simulator.requests.waitFor(({ tenant, done }) => tenant === 'primary' && !done)
  await world.simulator.requests.waitFor(({ tenant, done }) => tenant === 'second' && !done)
  world.configure({ tenants: { acme: 'api: { maxPages: 7 }', zeta: '' } })
  const open = session.mirror.openTenant
  const endedWhenOpened: unknown[] = []
  const opening = vi.spyOn(session.mirror, 'openTenant').mockImplementation((...tenant) => {
    endedWhenOpened.push([...ended])
    return open(...tenant)
  })
  expect(await world.daemon.reload()).toMatchObject({ ok: true, text: 'Reloaded: changed acme' })
  opening.mockRestore()
  expect(endedWhenOpened[0]).toEqual(['acme aborted'])
  expect(session.tenants[0]?.settings.api.maxPages).toBe(7)
  held.resolve()
  await Promise.all(running)
  expect(ended).toEqual(['acme aborted', 'zeta success'])
  await full('acme')
  expect(ended.at(-1)).toBe('acme success')
})

it('keeps everything as it was when the new configuration is wrong, but for the gauge, one line and the page', async () => {
  const world = await reloadable({ tenants: both })
  const lines = () => world.wholeLog().split('\n').length
  // The skew of the clocks is measured at each scrape.
  const isKept = (line: string) => !line.startsWith('tenantwatch_api_clock_skew_seconds')
  const ofTenants = async () => [...(await world.series('acme')), ...(await world.series('zeta'))].filter(isKept)
  const before = { series: await ofTenants(), page: await world.get('/api/v1/checks'), lines: lines() }
  const settings = world.session.settings
  const at = await world.metric(stamp)
  world.write('tenantwatch.yaml', 'tenants: [{ name: Acme }]\nlogs: { level: trace }\n')
  const { ok, text } = await world.daemon.reload()
  expect(ok).toBe(false)
  expect(text.split('\n')).toHaveLength(4)
  expect(world.session.settings).toBe(settings)
  expect(await ofTenants()).toEqual(before.series)
  expect(await world.get('/api/v1/checks')).toBe(before.page)
  expect(lines()).toBe(before.lines + 1)
  const message = 'The configuration cannot be reloaded; the last good one stays in force'
  expect(world.logged(message)).toMatchObject([{ level: 50, problems: text.split('\n') }])
  expect([await world.metric(gauge), await world.metric(stamp)]).toEqual([0, at])
  expect(await world.get('/')).toContain('The configuration could not be reloaded at ')
  world.configure({ tenants: both })
  expect(await world.daemon.reload()).toEqual({
    ok: true,
    text: 'Reloaded: the file is in force; no tenant and no waiver changed',
  })
  expect(await world.metric(gauge)).toBe(1)
  expect(await world.metric(stamp)).toBeGreaterThan(at ?? 0)
  expect(await world.get('/')).not.toContain('could not be reloaded')
})

it('refuses a configuration that only the client rejects before it changes anything', async () => {
  const world = await reloadable()
  const [former] = world.session.tenants
  world.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  world.configure({ tenants: { acme: 'api: { maxPages: 7 }', zeta: '' } })
  expect(await world.daemon.reload()).toEqual({
    ok: false,
    text: 'NODE_TLS_REJECT_UNAUTHORIZED is 0, which switches certificate checks off: unset it',
  })
  expect(world.session.tenants).toEqual([former])
  expect((await world.session.mirror.tenants()).map(({ name }) => name)).toEqual(['acme'])
})

it('names the waivers that changed, in the answer and in the log', async () => {
  const world = await reloadable()
  const reload = async (more: string) => {
    world.configure({ more })
    return (await world.daemon.reload()).text
  }
  const first = `waivers: [${waiver('W-1', 'sec')}]`
  expect(await reload(first)).toBe('Reloaded: added waivers W-1')
  expect(await reload(`waivers: [${waiver('W-1', 'ops')}, ${waiver('W-2', 'sec')}]`)).toMatch(
    /added .*W-2; changed .*W-1/,
  )
  expect(await reload(`${first}\nhistory: { retentionDays: 7 }`)).toMatch(/changed .*W-1; removed .*W-2/)
  const waivers = { added: [], changed: ['W-1'], removed: ['W-2'] }
  expect(world.logged('Configuration reloaded').at(-1)).toMatchObject({ changed: [], waivers })
})

it('evaluates when a secret expires between two ticks', async () => {
  const world = await reloadable()
  const failing = 'tenantwatch_check_status{tenant="acme",check="api-client-secret-not-expired",status="fail"}'
  const [tenant] = world.session.tenants
  if (tenant === undefined) throw new Error('No tenant')
  for (const { clientId } of world.simulator.primary['api-clients'].all()) {
    world.simulator.primary['api-clients'].update(clientId, { secretExpirationDate: '2099-01-01T00:00:00Z' })
  }
  const expires = new Date(Date.now() + 2 * secondMs).toISOString()
  world.simulator.primary['api-clients'].add({ name: 'Nightly export', secretExpirationDate: expires })
  const { signal } = new AbortController()
  await world.session.syncAndEvaluate(tenant, { resource: 'api-clients', mode: 'full' }, signal)
  // Its evaluation is the only one of the schedule until the next year.
  world.configure({ tenants: { acme: '', zeta: '' } })
  await world.daemon.reload()
  await vi.waitFor(async () => expect(await world.metric(failing)).toBe(1), 60_000)
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires))
})
