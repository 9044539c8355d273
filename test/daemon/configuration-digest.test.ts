import { expect, it } from 'vitest'
import { catalogue } from '../../src/commands/support/configuration.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { configurationDigest } from '../../src/daemon/configuration-digest.ts'

const tenant = 'tenants: [{ name: acme, baseUrl: "https://api.example.com", auth: { token: { env: ACME_TOKEN } } }]'
const env = { ACME_TOKEN: 'a', GLOBEX_TOKEN: 'b' }
const digest = (text: string) =>
  configurationDigest(
    loadSettings({ file: 'a.yaml', env, catalogue, exists: () => true, readFile: () => text }).settings,
  )

it('is the same whatever the addresses, the credentials and the log', async () => {
  const other = tenant.replace('api.example', 'other.example').replace('ACME_TOKEN', 'GLOBEX_TOKEN')
  const more = 'store: { path: other.db }\nserver: { listen: "127.0.0.1:9999" }\nlog: { level: debug }'
  expect(await digest(`${other}\n${more}`)).toBe(await digest(tenant))
})

it.each([
  ['tenants', tenant.replace('acme', 'globex')],
  ['checks', `${tenant}\nchecks: { user-mfa-enrolled: { severity: low } }`],
  ['freshness', `${tenant}\nfreshness: { users: 3h }`],
  [
    'waivers',
    `${tenant}\nwaivers: [{ id: w, check: user-mfa-enrolled, entity: "1", tenant: acme, reason: Leaves at the end of the month, owner: o, expires: 2099-01-01 }]`,
  ],
])('is another one with other %s', async (_, text) => {
  expect(await digest(text)).not.toBe(await digest(tenant))
})
