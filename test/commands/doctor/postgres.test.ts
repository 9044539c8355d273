import { expect, it } from 'vitest'
import { diagnoseServer } from '../../../src/doctor/postgres.ts'
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

function lines(over: Partial<ServerFacts> = {}): Readonly<Record<string, string>> {
  const found = diagnoseServer({ ...facts, ...over }, { tenants: ['acme', 'globex'], now })
  return Object.fromEntries(
    found.map(({ subject, level, text, next }) => [subject, `${level}: ${text}${next === null ? '' : `. ${next}`}`]),
  )
}

it('has one line for each part of a sound server', () => {
  expect(lines()).toEqual({
    server: 'ok: PostgreSQL 17.6, database "mirror" at db.example.com:5432, as tenantwatch, 1 ms away',
    TLS: 'ok: TLSv1.3, certificate verified',
    rights: 'ok: tenantwatch is no superuser',
    'server clock': 'ok: the server is 0.1 s ahead',
    layout: 'ok: that of this version',
    replicas: 'ok: 1 alive: pod-a/4k2j9x (2 tenants, heartbeat 1 s ago)',
    owners: 'ok: 2 tenants, each owned by a living replica',
  })
})

it('fails for a server with which a start is refused, and says nothing of what it would hold', () => {
  const problem = { sentence: 'its encoding is LATIN1', advice: 'Create it with encoding UTF8' }
  expect(lines({ problem, layout: 'none', mirror: null })).toEqual({
    server:
      'fail: PostgreSQL 17.6, database "mirror" at db.example.com:5432, as tenantwatch cannot be used: its encoding is LATIN1. Create it with encoding UTF8',
    TLS: 'ok: TLSv1.3, certificate verified',
  })
})

it.each<[Partial<ServerFacts>, string, RegExp]>([
  [{ tls: null }, 'TLS', /^warn: not used: records and the password travel unencrypted\. /],
  [{ tls: null, host: '127.0.0.1' }, 'TLS', /^ok: not used on this machine$/],
  [{ tls: { protocol: 'TLSv1.3', isVerified: false } }, 'TLS', /^warn: TLSv1\.3, but .* not verified\. Set sslmode/],
  [{ isSuperuser: 1 }, 'rights', /^warn: tenantwatch is a superuser\. /],
  [{ mayCreate: 0 }, 'rights', /^warn: tenantwatch may create nothing in the schema\. /],
  [{ skewMs: -61_000 }, 'server clock', /^warn: the server is 61\.0 s behind\. Keep both clocks in step with NTP/],
  [{ layout: 'none', mirror: null }, 'layout', /^ok: none yet; /],
  [{ layout: 'older', mirror: null }, 'layout', /^warn: of an older version\. The next "run" or "sync"/],
])('diagnoses %j', (over, subject, line) => {
  expect(lines(over)[subject]).toMatch(line)
})

const withReplicas = (replicas: MirrorState['replicas'], owners = mirror.owners) =>
  lines({ mirror: { ...mirror, replicas, owners } })

it('names the replicas that are alive or died, and the tenants that none owns', () => {
  const found = withReplicas([alive, dead], new Map([['globex', orphan]]))
  expect(found['replicas']).toBe(
    'ok: 1 alive: pod-a/4k2j9x (2 tenants, heartbeat 1 s ago); died: pod-b/7h1m3p (1 tenant, heartbeat 43 s ago)',
  )
  expect(found['owners']).toMatch(/^warn: no living replica owns acme, globex \(for 43 s\)\. .* within 15 s/)
})

it('does not ask for owners where no replica is alive, or a command works alone', () => {
  expect(withReplicas([dead])['replicas']).toMatch(/^warn: none is alive; died: pod-b.*\. No sync is running/)
  expect(withReplicas([])['replicas']).toBe('warn: none is alive. No sync is running: start the daemon')
  expect(withReplicas([dead])['owners']).toBeUndefined()
  expect(withReplicas([command], new Map())).toMatchObject({
    replicas: 'ok: 1 alive: host/1a (a command that works alone, heartbeat 0 s ago)',
  })
  expect(withReplicas([command], new Map())['owners']).toBeUndefined()
})

it('names ten of many', () => {
  const many = Array.from({ length: 12 }, (_, n) => ({ ...alive, id: `pod-${n}/a` }))
  expect(withReplicas(many)['replicas']).toMatch(/^ok: 12 alive: pod-0\/a .*pod-9\/a \([^)]*\) and 2 more$/)
})
