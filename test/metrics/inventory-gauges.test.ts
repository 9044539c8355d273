import { expect, it } from 'vitest'
import { readClientSecrets } from '../../src/metrics/client-secrets.ts'
import { lively, metricsOf, reading, records, waivedUntil } from './support/daemon.ts'
import { seriesOf, valueIn } from './support/parse.ts'
import { at, posture, resource } from './support/posture.ts'
import { readerOf, record } from './support/records.ts'

const body = async (...args: Parameters<typeof reading>) => await metricsOf([reading(...args)]).render()

it('shows users by all states and flags, with other states grouped', async () => {
  const text = await body(lively, records)
  expect(seriesOf(text, 'tenantwatch_users')).toHaveLength(12)
  expect(valueIn(text, 'tenantwatch_users', { state: 'Active', mfa_status: 'true', mfa_action: 'false' })).toBe(2)
  expect(valueIn(text, 'tenantwatch_users', { state: 'Invited', mfa_status: 'false', mfa_action: 'true' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_users', { state: 'other', mfa_status: 'false', mfa_action: 'false' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_users', { state: 'Active', mfa_status: 'false', mfa_action: 'false' })).toBe(0)
})

it('counts documents by known status, none and other, and roles by Active', async () => {
  const text = await body(lively, records)
  const documents = seriesOf(text, 'tenantwatch_documents').map(({ labels, value }) => [labels['upload_status'], value])
  expect(documents).toEqual([
    ['Completed', 1],
    ['Processing', 0],
    ['none', 1],
    ['other', 1],
  ])
  expect(valueIn(text, 'tenantwatch_roles', { state: 'Active' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_roles', { state: 'other' })).toBe(1)
})

it('shows no count before a complete full sync', async () => {
  const halfway = (['users', 'documents', 'roles'] as const).map((name) => resource(name, { dataAsOf: null }))
  const text = await body(posture({ resources: halfway }), records)
  for (const name of ['users', 'documents', 'roles']) expect(seriesOf(text, `tenantwatch_${name}`)).toEqual([])
  expect(valueIn(text, 'tenantwatch_mirror_records', { resource: 'users' })).toBe(12)
})

it('shows the sign-in settings as 0 and 1', async () => {
  const text = await body(lively, records)
  expect(valueIn(text, 'tenantwatch_mfa_policy_enabled', { tenant: 'acme' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_sso_enabled', { tenant: 'acme' })).toBe(1)
  expect(valueIn(text, 'tenantwatch_sso_enforced', { tenant: 'acme' })).toBe(0)
})

it('shows the expiry of every secret and of the own client whatever the case of its id', async () => {
  const text = await body(lively, records)
  const name = 'tenantwatch_api_client_secret_expiration_timestamp_seconds'
  expect(valueIn(text, name, { client_id: 'aa-1' })).toBe(at / 1000 + 86_400)
  expect(valueIn(text, name, { client_id: 'bb-2' })).toBe(at / 1000 - 0.5)
  expect(valueIn(text, 'tenantwatch_own_client_secret_expiration_timestamp_seconds')).toBe(at / 1000 + 86_400)
  expect(
    valueIn(text, 'tenantwatch_api_client_info', {
      ...{ client_id: 'aa-1', client_name: 'HR "sync"', role: 'Reader', owner: 'security' },
    }),
  ).toBe(1)
  expect(valueIn(text, 'tenantwatch_api_client_info', { client_id: 'bb-2', client_name: '', owner: '' })).toBe(1)
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

it('lists secrets by expiry', async () => {
  const secrets = await readClientSecrets(readerOf(records))
  expect(secrets.map(({ clientId }) => clientId)).toEqual(['bb-2', 'aa-1'])
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
