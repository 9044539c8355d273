import type { ServerResponse } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { minuteMs } from '../../../src/model/time.ts'
import { listen, stopListening } from '../../../src/simulator/wire.ts'
import * as facts from '../../checks/support/facts.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import type { EngineSettings } from '../../support/engine-settings.ts'
import { ending } from '../../support/sync-queries.ts'

export type Fields = Record<string, unknown>

/** The data of one tenant, to be changed by the test at will. */
export interface ScriptedTenant {
  users: Fields[]
  clients: Fields[]
  documents: Fields[]
  roles: Fields[]
  settings: Fields
}

/** A server that answers each request for the tenant that `choose` names, as a load balancer with a mixed backend does. */
export interface TwoTenants {
  readonly url: string
  readonly a: ScriptedTenant
  readonly b: ScriptedTenant
  /** Selects the tenant for each request from now on, by its path below /api/public/ and its cursor. */
  choose(next: (path: string, cursor: string | null) => ScriptedTenant): void
  /** Lists that answer with another status than 200. */
  readonly refused: Map<string, number>
  /** Paths asked for. */
  readonly asked: string[]
  /** `meta.timestamp` of each answer. */
  timestamp: () => string
  /** Number of records per page. */
  pageSize: () => number
}

const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const createdAt = '2025-01-01T00:00:00Z'

export const user = (userId: number, more: Fields = {}): Fields => {
  const created = new Date(Date.UTC(2025, 0, 1, 0, userId)).toISOString()
  return facts.user({ userId, email: `user${userId}@example.com`, createdAt: created, ...more })
}

export const client = (n: number, more: Fields = {}): Fields =>
  facts.client({
    ...{ clientId: guid(n), name: `client ${n}`, secretExpirationDate: '2027-01-01T00:00:00Z', createdAt },
    ...more,
  })

export const document = (n: number, more: Fields = {}): Fields =>
  facts.document({ fileId: guid(5000 + n), filename: `document ${n}.pdf`, createdAt, ...more })

/** `role` names the role with this id so. */
const roleIdOf = ({ roleName }: Fields): number => Number(/^Role (\d+)$/.exec(String(roleName))?.[1] ?? 1)

export const role = (roleId: number, more: Fields = {}): Fields =>
  facts.role({ roleId, name: roleId === 1 ? 'Reader' : `Role ${roleId}`, ...more })

export const tenant = (more: Partial<ScriptedTenant> = {}): ScriptedTenant => {
  return { users: [], clients: [], documents: [], roles: [role(1)], settings: facts.settings(), ...more }
}

/** Starts the server; it answers for `a` until the test switches it. */
async function twoTenants(a: ScriptedTenant, b: ScriptedTenant): Promise<TwoTenants> {
  let choice = (_path: string, _cursor: string | null): ScriptedTenant => a
  const asked: string[] = []
  const refused = new Map<string, number>()
  let requests = 0
  const state = { timestamp: () => new Date().toISOString(), pageSize: () => 20 }

  function answer(response: ServerResponse, status: number, data: unknown, pagination: unknown): void {
    const error = status === 200 ? null : { code: 'X' }
    const meta = { requestId: guid(9_000_000 + requests++), timestamp: state.timestamp() }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data, pagination, error, meta }))
  }

  const { server, url } = await listen(
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
      const path = pathname.replace('/api/public/', '')
      asked.push(path)
      const cursor = searchParams.get('cursor')
      const { users, clients, documents, roles, settings } = choice(path, cursor)
      const status = refused.get(path)
      if (status !== undefined) return answer(response, status, null, null)
      const list = new Map(Object.entries({ users, 'api-clients': clients, documents })).get(path)
      if (list !== undefined) {
        const from = Number(cursor ?? 0)
        const limit = state.pageSize()
        const data = list.slice(from, from + limit)
        const end = from + data.length
        return answer(response, 200, data, { limit, nextCursor: String(end), hasMore: end < list.length })
      }
      const whole = { roles, permissions: roles[0]?.['permissions'] ?? [], 'authentication-settings': settings }
      const found = users.find(({ userId }) => path === `users/${userId}`)
      const data =
        new Map<string, unknown>(Object.entries(whole)).get(path) ?? (found && { ...found, roleId: roleIdOf(found) })
      answer(response, data === undefined ? 404 : 200, data ?? null, null)
    },
    '127.0.0.1',
    0,
  )
  onTestFinished(() => stopListening(server))
  return Object.assign(state, {
    ...{ url, a, b, asked, refused },
    choose(next: typeof choice) {
      choice = next
    },
  })
}

export interface Scene {
  readonly test: TestEngine
  readonly server: TwoTenants
}

/** An engine on a server of the tenant `a` that has read nothing yet; `b` is the foreign tenant. */
export async function engineOf(
  a: Partial<ScriptedTenant>,
  b: Partial<ScriptedTenant> = {},
  settings: EngineSettings = {},
): Promise<Scene> {
  const server = await twoTenants(tenant(a), tenant(b))
  const auth = { header: 'Authorization', scheme: 'Bearer' } as const
  const test = await testEngine({ settings: { baseUrl: server.url, userDetails: { perRun: 0 }, auth, ...settings } })
  server.timestamp = () => new Date(test.clock.now()).toISOString()
  return { test, server }
}

/** A mirror of `a`, complete and six minutes old. */
export async function mirrored(...given: Parameters<typeof engineOf>): Promise<Scene> {
  const { test, server } = await engineOf(...given)
  for (const result of await test.runAll('full')) expect(ending(result)).toBe('success')
  test.clock.advance(6 * minuteMs)
  server.asked.length = 0
  return { test, server }
}
