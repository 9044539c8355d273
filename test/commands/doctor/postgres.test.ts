import { expect, it } from 'vitest'
import { diagnoseServer } from '../../../src/doctor/database.ts'
import type { MirrorState, ServerFacts } from '../../../src/store/db/postgres/server.ts'

const now = 1_000_000
const alive = { id: 'pod-a/4k2j9x', alone: 0, alive: 1, heartbeatAgeMs: 1900, tenants: 2 }
const dead = { id: 'pod-b/7h1m3p', alone: 0, alive: 0, heartbeatAgeMs: 43_000, tenants: 1 }
const command = { id: 'host/1a', alone: 1, alive: 1, heartbeatAgeMs: 900, tenants: 0 }
const owned = { replica: alive.id, isAlive: true, heartbeatAgeMs: 1900, since: 0 }
const orphan = { replica: dead.id, isAlive: false, heartbeatAgeMs: 43_000, since: now - 43_000 }

const mirror: MirrorState = {
  replicas: [{ ...alive, id: `${alive.id}7f1-0z3` }],
  owners: new Map([
    ['acme', owned],
    ['globex', owned],
  ]),
}

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
  layout: 'current',
  mirror,
}

/** Level, text and remedy of each line. */
function lines(over: Partial<ServerFacts> = {}): Readonly<Record<string, string>> {
  const found = diagnoseServer({ ...facts, ...over }, { tenants: ['acme', 'globex'], now })
  return Object.fromEntries(
    found.map(({ subject, level, text, next }) => [subject, `${level}: ${text}${next === null ? '' : `. ${next}`}`]),
  )
}

const withReplicas = (replicas: MirrorState['replicas'], owners = mirror.owners) => ({
  mirror: { ...mirror, replicas, owners },
})

it('has one line for each part of a sound server', () => {
  expect(lines()).toMatchSnapshot()
})

it('fails for a server with which a start is refused, and says nothing of what it would hold', () => {
  const problem = { sentence: 'its encoding is LATIN1', advice: 'Create it with encoding UTF8' }
  const found = lines({ problem, layout: 'none', mirror: null })
  expect(Object.keys(found)).toEqual(['server', 'TLS'])
  expect(found['server']).toMatch(/^fail: .*LATIN1/)
})

const many = Array.from({ length: 12 }, (_, n) => ({ ...alive, id: `pod-${n}/a` }))

it.each<[what: string, over: Partial<ServerFacts>, subject: string, line: RegExp | undefined]>([
  ['no TLS', { tls: null }, 'TLS', /^warn: .*unencrypted/],
  ['no TLS on this machine', { tls: null, host: '127.0.0.1' }, 'TLS', /^ok: /],
  ['no verified certificate', { tls: { protocol: 'TLSv1.3', isVerified: false } }, 'TLS', /^warn: .*sslmode/],
  ['a superuser', { isSuperuser: 1 }, 'rights', /^warn: /],
  ['no right to create', { mayCreate: 0 }, 'rights', /^warn: /],
  ['clocks apart', { skewMs: -61_000 }, 'server clock', /^warn: .*61\.0 s behind/],
  ['no layout', { layout: 'none', mirror: null }, 'layout', /^ok: none yet/],
  ['an older layout', { layout: 'older', mirror: null }, 'layout', /^warn: /],
  ['a dead replica', withReplicas([alive, dead]), 'replicas', /^ok: 1 alive: .*; died: pod-b\/7h1m3p \(1 tenant/],
  [
    'an orphan',
    withReplicas([alive, dead], new Map([['globex', orphan]])),
    'owners',
    /^warn: .*acme, globex \(for 43 s\)/,
  ],
  ['nobody alive', withReplicas([dead]), 'replicas', /^warn: none is alive; died: pod-b.*start the daemon/],
  ['nobody alive, of owners', withReplicas([dead]), 'owners', undefined],
  ['a command alone', withReplicas([command], new Map()), 'replicas', /^ok: 1 alive: host\/1a \(a command/],
  ['a command alone, of owners', withReplicas([command], new Map()), 'owners', undefined],
  ['many', withReplicas(many), 'replicas', /^ok: 12 alive: pod-0\/a .*pod-9\/a \([^)]*\) and 2 more$/],
])('diagnoses %s', (_, over, subject, line) => {
  expect(lines(over)[subject]).toEqual(line && expect.stringMatching(line))
})
