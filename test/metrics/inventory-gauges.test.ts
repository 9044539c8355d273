import { expect, it } from 'vitest'
import { user } from '../checks/support/facts.ts'
import { sqliteWorld } from '../evaluate/support/sqlite-world.ts'
import { lively, metricsOf, reading, records, waivedUntil } from './support/daemon.ts'
import { seriesOf, valueIn } from './support/parse.ts'
import { at } from './support/posture.ts'
import { record } from './support/records.ts'

const body = async (...args: Parameters<typeof reading>) => await metricsOf([reading(...args)]).render()

it('shows every state and flag of users that is known, and counts other states together', async () => {
  const text = await body(lively, records)
  expect(seriesOf(text, 'tenantwatch_users')).toHaveLength(12)
  expect(valueIn(text, 'tenantwatch_users', { state: 'other', mfa_status: 'false', mfa_action: 'false' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_documents', { upload_status: 'Processing' })).toBe(0)
})

it('shows no count before a complete full sync was counted', async () => {
  const world = await sqliteWorld()
  await world.evaluate()
  await world.sync({ users: [user()] })
  const counts = async () => {
    const facts = { ...(await reading(await world.posture())), counts: await world.mirror.recordCounts(world.tenantId) }
    return seriesOf(await metricsOf([Promise.resolve(facts)]).render(), 'tenantwatch_users').map(({ value }) => value)
  }
  expect(await counts()).toEqual([])
  await world.evaluate()
  expect(await counts()).toContain(1)
})

it('shows that a secret never expires, and the client that has it', async () => {
  const endless = record('cc-3', { name: 'Robot', roleName: 'Reader' }, {})
  const text = await body(lively, { 'api-clients': [endless] })
  expect(text).toMatch(/^tenantwatch_api_client_secret_expiration_timestamp_seconds\{.*client_id="cc-3"\} \+Inf$/m)
  expect(valueIn(text, 'tenantwatch_api_client_info', { client_id: 'cc-3' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_api_client_secret_waived', { client_id: 'cc-3' })).toBe(0)
})

it('shows no e-mail and no id that may be a name', async () => {
  const of = (id: string, name: string) => record(id, { name, roleName: name }, { secretExpirationDateMs: at })
  const rows = [of('jane@corp.example', 'Jane <jane@corp.example>'), of('Jane Roe', 'jane.roe'), of('x1', 'é@é')]
  const text = await body(lively, { 'api-clients': rows })
  const found = seriesOf(text, 'tenantwatch_api_client_info').map(({ labels }) => labels)
  expect(found.map((labels) => [labels['client_name'], labels['role']])).toEqual([
    ['Jane <[e-mail]>', 'Jane <[e-mail]>'],
    ['jane.roe', 'jane.roe'],
    ['[e-mail]', '[e-mail]'],
  ])
  const ids = found.map((labels) => labels['client_id'])
  expect(ids).toEqual([expect.stringMatching(/^sha256:/), expect.stringMatching(/^sha256:/), 'x1'])
  expect(new Set(ids).size).toBe(3)
})

it('reports for each secret whether a waiver accepts its expiry', async () => {
  const [expired, expiring] = ['api-client-secret-not-expired', 'api-client-secret-not-expiring']
  const flags = async (waived: Record<string, string[]>) => {
    const body = await metricsOf([reading(lively, records, waived)]).render()
    const ends = seriesOf(body, 'tenantwatch_api_client_secret_waived_until_timestamp_seconds')
    return [
      ...['aa-1', 'bb-2'].map((id) => valueIn(body, 'tenantwatch_api_client_secret_waived', { client_id: id })),
      ...ends.map(({ labels, value }) => [labels['client_id'], labels['check'], value * 1000]),
    ]
  }
  expect(await flags({ [expired]: ['bb-2'], 'user-mfa-enrolled': ['aa-1'] })).toEqual([
    0,
    1,
    ['bb-2', expired, waivedUntil],
  ])
  // That it was accepted before its expiry does not accept its expiry.
  expect(await flags({ [expiring]: ['aa-1', 'bb-2'] })).toEqual([
    1,
    0,
    ['aa-1', expiring, waivedUntil],
    ['bb-2', expiring, waivedUntil],
  ])
})
