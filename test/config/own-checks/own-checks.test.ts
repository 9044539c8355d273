import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadSettings } from '../../../src/config/load-settings.ts'
import type { Purpose } from '../../../src/config/probes.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { fakeCatalogue } from '../fake-catalogue.ts'
import { env, problemsOf } from '../load.ts'

const sql = (id: string) => `-- id: ${id}
-- title: All is well
-- severity: low
-- inputs: users

select 1 as entity, 'ok' as status, '' as reason
`
const tenants = 'tenants: [{ name: acme, baseUrl: "https://api.example.com", auth: { token: { env: ACME_TOKEN } } }]'

const load = (...given: Parameters<typeof loadAll>) => loadAll(...given).settings

function loadAll(more: string, files: Readonly<Record<string, string>> = {}, purpose: Purpose = 'request') {
  const cwd = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  writeFileSync(join(cwd, 'a.yaml'), `${tenants}\n${more}`)
  return loadSettings({ file: 'a.yaml', env, catalogue: fakeCatalogue, cwd, purpose })
}

it('configures and waives an own check like any other, also for one tenant', () => {
  const {
    ownChecks,
    tenants: [acme],
    waivers,
  } = load(
    `ownChecks: { folder: ., timeoutSeconds: 0.5, maxRows: 5 }
checks: { my-check: { severity: high } }
waivers:
  - { id: W-1, check: my-check, entity: "1", tenant: acme, reason: a reason of twenty letters, owner: me, expires: 2027-01-01 }
`,
    { 'my.sql': sql('my-check') },
  )
  expect(ownChecks).toMatchObject({ folder: '.', timeoutMs: 500, maxRows: 5 })
  expect(ownChecks.checks.map(({ id }) => id)).toEqual(['my-check'])
  expect(acme?.checks['my-check']).toEqual({ enabled: true, severity: 'high', options: {} })
  expect(waivers).toHaveLength(1)
})

it('validates the keys and ids of own checks', () => {
  const problems = (more: string, files = { 'my.sql': sql('my-check') }) =>
    problemsOf(() => load(`ownChecks: { folder: . }\n${more}`, files))
  expect(problems('checks: { my-check: { days: 3 } }')).toEqual([
    'a.yaml:3:23: unknown key `checks.my-check.days`; valid keys here: enabled, severity',
  ])
  expect(problems('checks: { my-chek: { enabled: false } }')).toEqual([
    'a.yaml:3:11: unknown key `checks.my-chek`; did you mean `my-check`?',
  ])
})

it('is refused with a file that has a mistake, beside which any id may be that of its check', () => {
  const more = `ownChecks: { folder: . }
checks: { my-check: { enabled: false }, theirs: { enabled: false } }
waivers: [{ id: W-1, check: "no check", entity: "1", tenant: acme, reason: a reason of twenty letters, owner: me, expires: 2027-01-01 }]`
  const files = { 'my.sql': sql('my-check'), 'theirs.sql': 'no header' }
  const unknown = [
    expect.stringMatching(/^a\.yaml:4:29: `waivers\[0\]\.check` is "no check"; there is no such check; /),
  ]
  for (const purpose of ['read', 'request', 'serve', 'check'] as const)
    expect(problemsOf(() => load(more, files, purpose))).toEqual([expect.stringMatching(/^theirs\.sql: /), ...unknown])
  expect(problemsOf(() => load(more, files, 'syntax'))).toEqual(unknown)
})

it.each([
  ['gone', {}, 'gone: ownChecks.folder cannot be read: no such file'],
  ['a.yaml', {}, 'a.yaml: ownChecks.folder cannot be read: it cannot be read (ENOTDIR)'],
  ['.', {}, '.: it has no *.sql file'],
])('is refused with the folder %s that has no checks', (folder, files, problem) => {
  const refused = problemsOf(() => load(`ownChecks: { folder: ${folder} }`, files, 'read'))
  expect(refused).toEqual([expect.stringContaining(problem)])
})
