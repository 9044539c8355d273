import { expect, it } from 'vitest'
import { aDay, cli } from './support/cli.ts'

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
  for (const { clientId } of [...one.simulator.primary['api-clients'].all()])
    primary['api-clients'].update(clientId, { secretExpirationDate: '2026-12-24T00:00:00Z' })
  primary['api-clients'].add({ clientId: ownId, name: 'watch', secretExpirationDate: '2026-03-31T12:00:00Z' })
  const soon = primary['api-clients'].add({ name: 'HR "sync"\r\n=1+1', secretExpirationDate: '2026-03-05T00:00:00Z' })
  const old = primary['api-clients'].add({ name: 'old', secretExpirationDate: '2026-02-01T00:00:00Z' })
  expect(await one.run('sync')).toMatchObject({ code: 0 })
  return { ...one, soon: soon.clientId, old: old.clientId }
}

const idsOf = (text: string) => JSON.parse(text).map(({ id }: { id: string }) => id)

it('lists secrets and waivers that end within the days, or have ended, in the order of time', async () => {
  const { run, soon, old, simulator } = await world()
  const json = async (...args: string[]) => (await run('expiring', '--format', 'json', ...args)).stdout
  expect(idsOf(await json())).toEqual([old, soon, 'W-1', ownId])
  expect(JSON.parse(await json()).map(({ own }: { own: boolean }) => own)).toEqual([false, false, false, true])
  expect(idsOf(await json('--days', '30'))).toEqual([old, soon, 'W-1', ownId])
  expect(idsOf(await json('--days', '29'))).toEqual([old, soon, 'W-1'])
  expect(idsOf(await json('--days', '0'))).toEqual([old])
  expect(idsOf(await json('--days', '400'))).toHaveLength(1 + simulator.primary['api-clients'].records.size)
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
