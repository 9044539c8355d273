import { expect, it } from 'vitest'
import { aDay, cli, synced } from './support/cli.ts'

const ownId = '00000000-0000-4000-8000-0000000000aa'
const waiver = '{ id: W-1, check: user-mfa-enrolled, entity: "*", tenant: acme, owner: sec'
const more = `waivers: [${waiver}, reason: Accepted until the roll-out ends, expires: 2026-03-20 }]`

async function world() {
  const one = await cli({
    simulator: { problems: false, sizes: { users: 3, documents: 3 } },
    tenants: [{ name: 'acme', more: `ownClientId: ${ownId.toUpperCase()}` }],
    more,
  })
  const { primary } = one.simulator
  for (const { clientId } of [...one.simulator.state().apiClients()])
    primary.updateApiClient(clientId, { secretExpirationDate: '2026-12-24T00:00:00Z' })
  primary.addApiClient({ clientId: ownId, name: 'watch', secretExpirationDate: '2026-03-31T12:00:00Z' })
  const soon = primary.addApiClient({ name: 'HR "sync"\r\n=1+1', secretExpirationDate: '2026-03-05T00:00:00Z' })
  const old = primary.addApiClient({ name: 'old', secretExpirationDate: '2026-02-01T00:00:00Z' })
  expect(await one.run('sync')).toMatchObject({ code: 0 })
  return { ...one, soon: soon.clientId, old: old.clientId }
}

const idsOf = (text: string) => JSON.parse(text).map(({ id }: { id: string }) => id)

it('lists secrets and waivers that end within the days, or have ended, in the order of time', async () => {
  const { run, soon, old, simulator } = await world()
  const json = async (...args: string[]) => (await run('expiring', '--format', 'json', ...args)).stdout
  expect(idsOf(await json())).toEqual([old, soon, 'W-1', ownId])
  expect(idsOf(await json('--days', '30'))).toEqual([old, soon, 'W-1', ownId])
  expect(idsOf(await json('--days', '29'))).toEqual([old, soon, 'W-1'])
  expect(idsOf(await json('--days', '0'))).toEqual([old])
  expect(idsOf(await json('--days', '400'))).toHaveLength(1 + simulator.state().apiClientCount())
})

it('gives both kinds one shape, and marks the secret of the watch itself', async () => {
  const { run, old } = await world()
  const { stdout } = await run('expiring', '--format', 'ndjson')
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const nothing = { name: null, role: null, check: null, entity: null, owner: null }
  expect(rows[0]).toEqual({
    ...nothing,
    expires: '2026-02-01T00:00:00.000Z',
    daysLeft: -28,
    tenant: 'acme',
    kind: 'secret',
    id: old,
    name: 'old',
    role: expect.any(String),
    own: false,
    state: 'expired',
  })
  expect(rows[2]).toEqual({
    ...nothing,
    expires: '2026-03-20T23:59:59.999Z',
    daysLeft: 19,
    tenant: 'acme',
    kind: 'waiver',
    id: 'W-1',
    own: false,
    check: 'user-mfa-enrolled',
    entity: '*',
    owner: 'sec',
    state: 'active',
  })
  expect(rows.map(({ own }) => own)).toEqual([false, false, false, true])
})

it('never lets a short list look complete', async () => {
  const one = await cli({ tenants: [{ name: 'acme', token: 'none' }] })
  await one.run('sync')
  for (const format of ['table', 'json'])
    expect((await one.run('expiring', '--format', format)).stderr).toMatch(/^acme api-clients: never completely read/m)
  const stale = await world()
  stale.pass(aDay)
  expect((await stale.run('expiring')).stderr).toMatch(/^acme api-clients: as of 2026-03-01T12:.* its freshness limit/m)
})

it('shows only the selected tenant, and refuses invalid options', async () => {
  const tenants = [{ name: 'acme' }, { name: 'globex', token: 'secondReader' as const }]
  const one = await synced({ simulator: { sizes: { users: 3, documents: 3 } }, tenants })
  const rows = JSON.parse(
    (await one.run('expiring', '--tenant', 'globex', '--days', '9999', '--format', 'json')).stdout,
  )
  expect(new Set(rows.map(({ tenant }: { tenant: string }) => tenant))).toEqual(new Set(['globex']))
})
