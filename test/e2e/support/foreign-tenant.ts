import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A record as the wire carries it; scenes add fields that nobody described. */
export type Fields = Record<string, unknown>

/** Everything that one tenant shows. */
export interface TenantData {
  users: Fields[]
  roles: Fields[]
  permissions: Fields[]
  settings: Fields
  clients: Fields[]
  documents: Fields[]
}

export interface Reply {
  status: number
  headers: Record<string, string>
  body: unknown
}

export interface Asked {
  /** Below `/api/public`. */
  readonly path: string
  readonly cursor: string | null
  readonly updatedAfter: string | null
}

/** A bad cursor, or `cursor` beside `updatedAfter` (docs/api.md#errors). */
const refused = { status: 400, code: 'VALIDATION_FAILED' }

/**
 * A tenant's API written from the specification alone, apart from `src/simulator` and with other choices where the
 * specification leaves one: offset cursors, three records a page, a page size that no parameter changes, a bare-string
 * code in `error`, a user list in which new users come last. A scene changes `data`, or any answer through `tamper`.
 */
export class ForeignTenant implements AsyncDisposable {
  data: TenantData
  pageSize = 3
  /** Sees each answer before it is sent and may change it, or give another one. */
  tamper: (asked: Asked, reply: Reply) => Reply | undefined = () => undefined
  readonly asked: Asked[] = []
  readonly #server = createServer((request, response) => this.#serve(request, response))

  constructor(data: TenantData) {
    this.data = data
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    const url = new URL(request.url ?? '/', this.baseUrl)
    const asked: Asked = {
      path: url.pathname.replace(/^\/api\/public/, ''),
      cursor: url.searchParams.get('cursor'),
      updatedAfter: url.searchParams.get('updatedAfter'),
    }
    this.asked.push(asked)
    const normal = request.method === 'GET' ? this.answer(asked) : failure(405, 'METHOD_NOT_ALLOWED')
    const { status, headers, body } = this.tamper(asked, normal) ?? normal
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(JSON.stringify(body))
  }

  answer(asked: Asked): Reply {
    const { users, roles, permissions, settings, clients, documents } = this.data
    const one = /^\/(users|roles)\/(\d+)$/.exec(asked.path)
    if (one !== null) {
      const [list, idField] = one[1] === 'users' ? [users, 'userId'] : [roles, 'roleId']
      const found = list.find((record) => record[idField] === Number(one[2]))
      return found === undefined ? failure(404, 'NOT_FOUND') : success(found, null)
    }
    switch (asked.path) {
      case '/users':
        return this.#page(
          users.map((user) => ({ ...user, roleId: null })),
          asked,
          { strict: true, limit: true },
        )
      case '/api-clients':
        return this.#page(clients, asked, { strict: false, limit: false })
      case '/documents':
        return this.#page(changedSince(documents, asked.updatedAfter), asked, { strict: true, limit: true })
      case '/roles':
        return success(roles, null)
      case '/permissions':
        return success(permissions, null)
      case '/authentication-settings':
        return success(settings, null)
      default:
        return failure(404, 'NOT_FOUND')
    }
  }

  #page(records: readonly Fields[], asked: Asked, { strict, limit }: { strict: boolean; limit: boolean }): Reply {
    if (asked.cursor !== null && asked.updatedAfter !== null) return failure(refused.status, refused.code)
    const at = asked.cursor === null ? 0 : offsetIn(asked.cursor)
    if (at === null && strict) return failure(refused.status, refused.code)
    const from = at ?? 0
    const end = Math.min(records.length, from + this.pageSize)
    const pagination = { nextCursor: cursorAt(Math.max(from, end)), hasMore: end < records.length }
    return success(records.slice(from, end), limit ? { limit: this.pageSize, ...pagination } : pagination)
  }
}

/** A success with a copy of the data: a scene that changes an answer leaves the tenant as it is. */
function success(data: unknown, pagination: unknown): Reply {
  const meta = { requestId: randomUUID(), timestamp: new Date().toISOString() }
  return { status: 200, headers: {}, body: { data: structuredClone(data), pagination, error: null, meta } }
}

function failure(status: number, code: string): Reply {
  const meta = { requestId: randomUUID(), timestamp: new Date().toISOString() }
  return { status, headers: {}, body: { data: null, pagination: null, error: code, meta } }
}

/** The body of a success as it may be changed in place. */
export function envelopeOf(reply: Reply): { data: unknown; pagination: Fields | null; error: unknown; meta: Fields } {
  return reply.body as { data: unknown; pagination: Fields | null; error: unknown; meta: Fields }
}

function cursorAt(offset: number): string {
  return Buffer.from(`o:${offset}`).toString('base64url')
}

function offsetIn(cursor: string): number | null {
  const found = /^o:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())
  return found === null ? null : Number(found[1])
}

function changedSince(documents: readonly Fields[], since: string | null): readonly Fields[] {
  const touched = (document: Fields) => Date.parse(String(document['updatedAt'] ?? document['createdAt']))
  return since === null ? documents : documents.filter((document) => touched(document) >= Date.parse(since))
}

const day = 86_400_000

/** An instant some days from now, as the wire carries it. */
export function inDays(days: number): string {
  return new Date(Date.now() + days * day).toISOString()
}

const grants: readonly Fields[] = [
  'Api_Users_Read',
  'Api_Users_Create',
  'Api_Roles_Read',
  'Api_AuthSettings_Read',
  'Api_ApiClients_Read',
  'Api_Documents_Read',
].map((code, index) => ({ permissionId: index + 1, name: code, module: 'Api', function: 'Access', code }))

/** A GUID that is the same in each run. */
export function guid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function client(number: number, more: Fields = {}): Fields {
  const own = { clientId: guid(number), name: `Client ${number}`, roleName: 'Reader' }
  return { ...own, secretExpirationDate: inDays(200), createdAt: inDays(-100), ...more }
}

export function user(userId: number, more: Fields = {}): Fields {
  const names = { firstName: `First${userId}`, lastName: `Last${userId}`, email: `user${userId}@example.com` }
  const flags = { state: 'Active', mfaStatus: true, mfaAction: false }
  return { userId, ...names, ...flags, roleId: 2, roleName: 'Staff', createdAt: inDays(-300 + userId), ...more }
}

export function document(number: number, more: Fields = {}): Fields {
  const own = { fileId: guid(1000 + number), filename: `policy-${number}.pdf`, uploadStatus: 'Completed' }
  return { ...own, createdAt: inDays(-50 + number), updatedAt: null, ...more }
}

/** A tenant in which each of several checks fails for one record and nothing else is out of order. */
export function smallTenant(): TenantData {
  const role = { description: 'x', state: 'Active', type: 'User', isReadOnly: false }
  return {
    users: [user(1), user(2, { mfaStatus: false }), user(3), user(4), user(5), user(6)],
    roles: [
      { ...role, roleId: 1, name: 'Reader', permissions: grants.filter(({ code }) => code !== 'Api_Users_Create') },
      { ...role, roleId: 2, name: 'Staff', permissions: [] },
      { ...role, roleId: 3, name: 'Provisioner', permissions: grants },
    ],
    permissions: [...grants],
    settings: { ssoEnabled: true, ssoEnforced: true, providerType: 'saml', tenantName: 'acme', mfaEnabled: true },
    clients: [
      client(1),
      client(2),
      client(3),
      client(4, { roleName: 'Provisioner' }),
      client(5),
      client(6, { secretExpirationDate: inDays(-1) }),
    ],
    documents: [
      document(1),
      document(2),
      document(3),
      document(4, { uploadStatus: 'Processing', createdAt: inDays(-3) }),
    ],
  }
}
