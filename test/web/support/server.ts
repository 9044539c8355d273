import type { FindingView } from '../../../src/model/finding.ts'
import { silentLog } from '../../../src/model/log.ts'
import { severities } from '../../../src/model/severity.ts'
import type { FindingQuery, WebAccess, WebOptions, WebSources } from '../../../src/web/web-options.ts'
import { createWebServer } from '../../../src/web/web-server.ts'
import { at } from '../../metrics/support/posture.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { acme, acmeFindings, acmeSecrets, globex } from './scene.ts'

/** Answers a finding query from a list. */
export function findingsFrom(all: readonly FindingView[]): WebSources['findings'] {
  return async function* (query: FindingQuery) {
    const { tenant, check, owner, severities: grades = severities, states = ['open'] } = query
    const found = all.filter(
      (view) =>
        (tenant === undefined || view.tenant === tenant) &&
        (check === undefined || view.check === check) &&
        (owner === undefined || view.owner === owner) &&
        grades.includes(view.severity) &&
        states.includes(view.state) &&
        query.fingerprints?.includes(view.fingerprint) !== false,
    )
    if (query.order === 'severity')
      found.sort((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity))
    else if (query.descending === true) found.reverse()
    found.splice(0, found.findIndex(({ fingerprint }) => fingerprint === query.after) + 1)
    yield* found
  }
}

/** An exposition of one piece. */
export async function* textOf(piece: string): AsyncGenerator<string> {
  yield piece
}

export const sources: WebSources = {
  metrics: async () => textOf('up 1\n'),
  names: () => ({
    tenants: ['acme', 'globex'],
    checks: [...new Set(acme.checks.map(({ check }) => check))],
    owners: ['hr'],
  }),
  evaluates: () => 'users',
  posture: async () => [acme, globex],
  findings: findingsFrom(acmeFindings),
  secrets: async (tenant) => (tenant === 'acme' ? acmeSecrets : []),
  changes: async () => [],
  trend: async () => null,
  expiries: async () => [],
  problems: async () => [],
  health: () => ({ ok: true, text: 'The engine is alive' }),
  ready: () => ({ ok: true, text: 'Ready' }),
  reload: async () => ({ ok: true, text: 'Reloaded' }),
  firstHash: async () => null,
  syncNow: async () => [],
}

/** Options of a server, and what is in force on it. */
export type Wanted = Partial<WebOptions> & Partial<WebAccess>

export function webOptions(wanted: Wanted = {}): WebOptions {
  const { exposeDetails = true, users = new Map(), tls = null, allowedHosts = [], ...over } = wanted
  const { isProtected = users.size > 0 } = wanted
  return {
    listen: { host: '127.0.0.1', port: 0 },
    access: () => ({ exposeDetails, isProtected, allowedHosts, users, tls }),
    sources,
    clock: fakeClock(at),
    log: silentLog(),
    ...over,
  }
}

/** A user whose password nobody knows. */
export const closed = new Map([['alice', `$2b$04$${'a'.repeat(53)}`]])

/** Starts a server on a free port; it ends with the block it is used in. */
export async function startServer(wanted: Wanted = {}) {
  const server = createWebServer(webOptions(wanted))
  const { port } = await server.start()
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    server,
    [Symbol.asyncDispose]: () => server.dispose(0),
  }
}
