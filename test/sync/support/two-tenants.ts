import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

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
  /** Lists that answer 401. */
  readonly denied: Set<string>
  /** Lists that answer 400. */
  readonly broken: Set<string>
  /** Paths asked for. */
  readonly asked: string[]
  /** `meta.timestamp` of each answer. */
  timestamp: () => string
  /** Number of records per page. */
  pageSize: () => number
}

const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export const user = (userId: number, more: Fields = {}): Fields => ({
  userId,
  firstName: 'A',
  lastName: 'B',
  email: `user${userId}@example.com`,
  state: 'Active',
  mfaStatus: true,
  mfaAction: false,
  roleId: null,
  roleName: 'Reader',
  createdAt: new Date(Date.UTC(2025, 0, 1, 0, userId)).toISOString(),
  ...more,
})

export const client = (n: number, more: Fields = {}): Fields => ({
  clientId: guid(n),
  name: `client ${n}`,
  roleName: 'Reader',
  secretExpirationDate: '2027-01-01T00:00:00Z',
  createdAt: '2025-01-01T00:00:00Z',
  ...more,
})

export const document = (n: number, more: Fields = {}): Fields => ({
  fileId: guid(5000 + n),
  filename: `document ${n}.pdf`,
  uploadStatus: 'Completed',
  createdAt: '2025-01-01T00:00:00Z',
  updatedAt: null,
  ...more,
})

/** `role` names the role with this id so. */
const roleIdOf = ({ roleName }: Fields): number => Number(/^Role (\d+)$/.exec(String(roleName))?.[1] ?? 1)

export const role = (roleId: number, more: Fields = {}): Fields => ({
  roleId,
  name: roleId === 1 ? 'Reader' : `Role ${roleId}`,
  description: 'd',
  state: 'Active',
  type: 'User',
  isReadOnly: true,
  permissions: [{ permissionId: 3, name: 'n', module: 'm', function: 'f', code: 'c' }],
  ...more,
})

const settings = (): Fields => ({
  ssoEnabled: true,
  ssoEnforced: true,
  providerType: 'oidc',
  tenantName: 'A',
  mfaEnabled: true,
})

export const tenant = (more: Partial<ScriptedTenant> = {}): ScriptedTenant => ({
  users: [],
  clients: [],
  documents: [],
  roles: [role(1)],
  settings: settings(),
  ...more,
})

/** Starts the server; it answers for `a` until the test switches it. */
export async function twoTenants(a: ScriptedTenant, b: ScriptedTenant): Promise<TwoTenants> {
  let choice = (_path: string, _cursor: string | null): ScriptedTenant => a
  const asked: string[] = []
  const denied = new Set<string>()
  const broken = new Set<string>()
  let requests = 0

  const state = { timestamp: () => new Date().toISOString(), pageSize: () => 20 }

  function answer(response: ServerResponse, status: number, data: unknown, pagination: unknown): void {
    const error = status === 200 ? null : { code: 'X' }
    const meta = { requestId: guid(9_000_000 + requests++), timestamp: state.timestamp() }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data, pagination, error, meta }))
  }

  function list(response: ServerResponse, all: readonly Fields[], cursor: string | null): void {
    const from = Number(cursor ?? 0)
    const limit = state.pageSize()
    const data = all.slice(from, from + limit)
    const end = from + data.length
    answer(response, 200, data, { limit, nextCursor: String(end), hasMore: end < all.length })
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.replace('/api/public/', '')
    asked.push(path)
    const cursor = searchParams.get('cursor')
    const one = choice(path, cursor)
    if (denied.has(path)) return answer(response, 401, null, null)
    if (broken.has(path)) return answer(response, 400, null, null)
    if (path === 'users') return list(response, one.users, cursor)
    if (path === 'api-clients') return list(response, one.clients, cursor)
    if (path === 'documents') return list(response, one.documents, cursor)
    if (path === 'roles') return answer(response, 200, one.roles, null)
    if (path === 'permissions') return answer(response, 200, one.roles[0]?.['permissions'] ?? [], null)
    if (path === 'authentication-settings') return answer(response, 200, one.settings, null)
    const found = one.users.find(({ userId }) => path === `users/${userId}`)
    return answer(response, found === undefined ? 404 : 200, found ? { ...found, roleId: roleIdOf(found) } : null, null)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    a,
    b,
    asked,
    denied,
    broken,
    choose(next: (path: string, cursor: string | null) => ScriptedTenant) {
      choice = next
    },
  })
}
