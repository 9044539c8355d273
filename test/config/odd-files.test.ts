import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { fakeCatalogue } from './fake-catalogue.ts'
import { env, loadText, problemsOf } from './load.ts'

const base = `tenants:
  - { name: acme, baseUrl: https://acme.example.com, auth: { token: { env: ACME_TOKEN } } }
`

it('refuses a file that is no UTF-8', () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.yaml'), Buffer.from(`# Prüfung\n${base}`, 'latin1'))
  const run = () => loadSettings({ file: 'a.yaml', env, catalogue: fakeCatalogue, cwd, purpose: 'request' })
  expect(problemsOf(run)[0]).toContain('it is not UTF-8 text')
})

it.each(['store: nonsense', 'store: { pth: x.db }'])('a variable hides no mistake of the file: %s', (wrong) => {
  expect(problemsOf(() => loadText(base + wrong, { ...env, TENANTWATCH_STORE_PATH: 'a.db' }))).toHaveLength(1)
})
