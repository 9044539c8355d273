import { expect, it } from 'vitest'
import { diagnoseServer } from '../../../src/doctor/database.ts'
import type { ServerFacts } from '../../../src/store/db/postgres/server.ts'

const now = 1_000_000
const owned = { replica: 'pod-a/4k2j9x', isAlive: true, heartbeatAgeMs: 1900, since: 0 }
const orphan = { replica: 'pod-b/7h1m3p', isAlive: false, heartbeatAgeMs: 43_000, since: now - 43_000 }

const owners: NonNullable<ServerFacts['owners']> = new Map([
  ['acme', owned],
  ['globex', owned],
])

const lost = new Map([['globex', orphan]])

const facts: ServerFacts = {
  place: 'database "mirror" at db.example.com:5432',
  host: 'db.example.com',
  user: 'tenantwatch',
  version: '17.6',
  problem: null,
  tls: { protocol: 'TLSv1.3', isVerified: true },
  roundTripMs: 1.4,
  skewMs: 120,
  isSuperuser: 0,
  mayCreate: 1,
  mayWrite: 1,
  layout: 'current',
  owners,
}

/** Level, text and remedy of each line. */
function lines(over: Partial<ServerFacts> = {}): Readonly<Record<string, string>> {
  const found = diagnoseServer({ ...facts, ...over }, { tenants: ['acme', 'globex'], now })
  return Object.fromEntries(
    found.map(({ subject, level, text, next }) => [subject, `${level}: ${text}${next === null ? '' : `. ${next}`}`]),
  )
}

it('has one line for each part of a sound server', () => {
  expect(lines()).toMatchSnapshot()
})

it('fails for a server with which a start is refused, and says nothing of what it would hold', () => {
  const problem = { sentence: 'its encoding is LATIN1', advice: 'Create it with encoding UTF8' }
  const found = lines({ problem, layout: 'none', owners: null })
  expect(Object.keys(found)).toEqual(['server', 'TLS'])
  expect(found['server']).toMatch(/^fail: .*LATIN1/)
})

it.each<[what: string, over: Partial<ServerFacts>, subject: string, line: RegExp]>([
  ['no TLS', { tls: null }, 'TLS', /^warn: .*unencrypted/],
  ['no TLS on this machine', { tls: null, host: '127.0.0.1' }, 'TLS', /^ok: /],
  ['no verified certificate', { tls: { protocol: 'TLSv1.3', isVerified: false } }, 'TLS', /^warn: .*sslmode/],
  ['a superuser', { isSuperuser: 1 }, 'rights', /^warn: /],
  ['no right to create', { mayCreate: 0 }, 'rights', /^warn: /],
  ['no right to create the first tables', { mayCreate: 0, layout: 'none', owners: null }, 'rights', /^fail: /],
  ['no right to write', { mayWrite: 0 }, 'rights', /^fail: /],
  ['clocks apart', { skewMs: -61_000 }, 'server clock', /^warn: .*61\.0 s behind/],
  ['no layout', { layout: 'none', owners: null }, 'layout', /^ok: none yet/],
  ['an older layout', { layout: 'older', owners: null }, 'layout', /^warn: /],
  [
    'an orphan',
    { owners: new Map([...owners, ...lost]) },
    'owners',
    /^warn: no .* owns globex \(for 43 s\)\. .*start one/,
  ],
  ['nobody alive', { owners: lost }, 'owners', /^warn: no .* owns acme, globex \(for 43 s\)\. .*start the daemon$/],
])('diagnoses %s', (_, over, subject, line) => {
  expect(lines(over)[subject]).toMatch(line)
})
