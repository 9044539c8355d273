import { expect, it } from 'vitest'
import { maskedYaml } from '../../src/config/settings.ts'
import { canary, loadText } from './load.ts'

const rich = `
tenants:
  - name: acme
    baseUrl: https://acme.example.com
    auth: { header: X-Api-Key, scheme: "", token: { file: token.txt } }
    ownClientId: 0a0b0c0d-0000-0000-0000-00000000000f
    api: { timeoutSeconds: 1.5, maxBodyMiB: 0.3, caFile: ca.pem, pageSizeParameter: limit }
    schedule: { users: { full: "0 * * * *" } }
  - name: globex
    baseUrl: https://globex.example.com
    api: { pageSizeParameter: { users: take, documents: null } }
    auth:
      token:
        oauth2:
          { tokenUrl: "https://login.example.com/token", clientId: me, clientSecret: { env: GLOBEX_TOKEN }, scope: read }
freshness: { users: 1h30m, documents: 3d }
checks: { user-mfa-enrolled: { severity: low }, document-required-present: { requirements: [{ name: "A*", maxAgeDays: 3 }] } }
resources: { documents: { enabled: false } }
documents: { overlap: 90s }
server: { listen: "[::1]:80", exposeDetails: true, allowedHosts: [watch.example.com] }
schedule: { timezone: Europe/Berlin, evaluate: "*/10 * * * *" }
waivers:
  - { id: W-1, check: user-mfa-enrolled, entity: "42", tenant: acme, reason: A reason of twenty characters, owner: me, expires: 2027-03-31 }
notifications:
  - { name: hook, to: { webhook: { url: { env: GLOBEX_TOKEN }, secret: { file: token.txt } } }, on: [hold], digest: "0 8 * * *" }
  - { name: mail, to: { email: { smtp: { env: GLOBEX_TOKEN }, from: "tenantwatch <tw@example.com>", to: [a@example.com] } } }
`

it('prints a configuration that loads as the same settings', () => {
  const { settings, written } = loadText(rich)
  expect(loadText(maskedYaml(written)).settings).toEqual(settings)
})

it('masks the credentials of a proxy and the arguments of a command, and still loads', () => {
  const { written } = loadText(`
tenants:
  - { name: acme, baseUrl: https://acme.example.com, auth: { token: { command: [vault, --token=${canary}] } } }
api: { proxy: "http://me:${canary}@proxy.example.com:3128" }
notifications: [{ name: hook, to: { webhook: { url: { command: [vault, --key=${canary}] } } } }]
`)
  const printed = maskedYaml(written)
  expect(printed).not.toContain(canary)
  expect(printed).toContain('http://redacted@proxy.example.com:3128')
  expect(printed).toContain('[redacted]')
  expect(loadText(printed).settings.tenants[0]?.auth.token).toEqual({ command: ['vault', '[redacted]'] })
})

it('masks parameters of a token request, and in messages URLs wherever they stand', () => {
  const parameters = rich.replace('scope: read', `parameters: { password: ${canary} }`)
  expect(maskedYaml(loadText(parameters).written)).not.toContain(canary)
  const url = `postgres://me:${canary}@db.example.com/mirror`
  for (const wrong of [`store: { path: "${url}" }`, `server: { externalUrl: "${url}", listen: "me:${canary}@host" }`]) {
    const load = () => loadText(`${rich.replace(/^server: .*$/m, '')}${wrong}\n`)
    expect(load).toThrow(/redacted@/)
    expect(load).not.toThrow(new RegExp(canary))
  }
})

it('shows no query of a token URL', () => {
  const { written } = loadText(rich.replace('login.example.com/token', 'login.example.com/token?key=topsecret'))
  const printed = maskedYaml(written)
  expect(printed).toContain('tokenUrl: https://login.example.com/token?redacted')
  expect(printed).not.toContain('topsecret')
})
