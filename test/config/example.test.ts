import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { canary, env, loadText } from './load.ts'

const example = readFileSync(new URL('../../config/tenantwatch.example.yaml', import.meta.url), 'utf8')
const variables = { ...env, ACME_CLIENT_SECRET: canary }
const minimal = `
tenants:
  - { name: acme, baseUrl: https://api.example.com, auth: { token: { env: ACME_TOKEN } } }
`

it('shows exactly the defaults in the example file', () => {
  expect(loadText(example).settings).toEqual(loadText(minimal).settings)
})

it('validates the examples in comments of the example file', () => {
  const uncommented = example
    .replaceAll(/^( *)# (?=token|freshness|waivers)/gm, '$1')
    .replace(/^.*: (\{\}|\[\])( .*)?\n(?=freshness|waivers)/gm, '')
  const tokens = uncommented.match(/^ +token: .*$/gm) ?? []
  expect(tokens).toHaveLength(4)
  for (const token of tokens) {
    const { settings } = loadText(
      uncommented.replace(/^( +token: .*\n)+/m, `${token.replace('/run/secrets/acme-token', 'token.txt')}\n`),
      variables,
    )
    expect(settings.waivers).toMatchObject([{ entity: '42', expiresMs: Date.UTC(2030, 6, 1) - 1 }])
    expect(settings.tenants[0]?.resources.users.freshnessMs).toBe(10_800_000)
  }
})
