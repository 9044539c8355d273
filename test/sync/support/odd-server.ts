import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

type Fields = Record<string, unknown>

/**
 * A tenant that keeps to the specification and does everything it leaves open otherwise than the reference tenant:
 * opaque cursors of odd and long text, feeds of several styles, bare errors, meta without anything useful, connections
 * that break whenever they are used again.
 */
export interface OddServer {
  readonly url: string
  /** Path and query of each request that was answered. */
  readonly asked: string[]
  readonly users: Fields[]
  readonly clients: Fields[]
  readonly documents: ReadonlyMap<string, Fields>
  readonly roles: Fields[]
  /** Puts a document, new or changed, at the end of what changed. */
  put(document: Fields): void
  /** No cursor given so far is known any longer. */
  forget(): void
}

const pageSize = 3
const odd = 'é +/=&#%?"\\😀\t'

export async function oddServer(): Promise<OddServer> {
  const users: Fields[] = []
  const clients: Fields[] = []
  const roles: Fields[] = []
  const documents = new Map<string, Fields>()
  const changedAt = new Map<string, number>()
  const places = new Map<string, unknown>()
  const asked: string[] = []
  const used = new WeakSet<Socket>()
  let changes = 0
  let given = 0

  function cursorFor(place: unknown): string {
    const cursor = `${odd.repeat(60)}${given++}=`
    places.set(cursor, place)
    return cursor
  }

  /** By creation; a full page promises more, and the empty one behind it gives back the cursor it was asked with. */
  function listUsers(cursor: string | null) {
    const after = cursor === null ? 0 : (places.get(cursor) as number)
    const ordered = users.toSorted((a, b) => Date.parse(String(a['createdAt'])) - Date.parse(String(b['createdAt'])))
    const data = ordered.filter(({ userId }) => Number(userId) > after).slice(0, pageSize)
    const last = Number(data.at(-1)?.['userId'] ?? after)
    const nextCursor = data.length === 0 ? cursor : cursorFor(last)
    return { data, pagination: { nextCursor, hasMore: data.length === pageSize, limit: pageSize, total: users.length } }
  }

  /** The newest first; at the end a token for all changes since the full sync began. */
  function listDocuments(cursor: string | null, updatedAfter: string | null) {
    const place =
      cursor === null ? { skip: 0, since: changes } : (places.get(cursor) as { skip?: number; since: number })
    const all = [...documents.values()]
    if (place.skip === undefined) {
      const changed = all.filter(({ fileId }) => (changedAt.get(String(fileId)) ?? 0) > place.since)
      const data = changed.slice(0, pageSize)
      const since = data.reduce((most, { fileId }) => Math.max(most, changedAt.get(String(fileId)) ?? 0), place.since)
      return { data, pagination: { hasMore: changed.length > data.length, nextCursor: cursorFor({ since }) } }
    }
    const from = updatedAfter === null ? 0 : Date.parse(updatedAfter)
    const newest = all.filter((one) => Date.parse(String(one['updatedAt'] ?? one['createdAt'])) >= from).reverse()
    const data = newest.slice(place.skip, place.skip + pageSize)
    const skip = place.skip + data.length
    const hasMore = skip < newest.length
    const next = hasMore ? { skip, since: place.since } : { since: place.since }
    return { data, pagination: { hasMore, nextCursor: cursorFor(next), limit: null, previousCursor: cursor } }
  }

  /** In another order at each full sync, and nothing but `hasMore` on the last page; a cursor that is not known is ignored. */
  function listClients(cursor: string | null) {
    const place = places.get(cursor ?? '') as readonly Fields[] | undefined
    const rest = place ?? clients.reverse().slice()
    const left = rest.slice(pageSize)
    const data = rest.slice(0, pageSize)
    return { data, pagination: left.length > 0 ? { hasMore: true, nextCursor: cursorFor(left) } : { hasMore: false } }
  }

  function answer({ pathname, searchParams }: URL): { status: number; body: unknown } {
    const [cursor, updatedAfter] = [searchParams.get('cursor'), searchParams.get('updatedAfter')]
    const path = pathname.replace('/tenant/api/public/', '')
    const lost = cursor !== null && !places.has(cursor)
    if (lost && path !== 'api-clients') return { status: 400, body: '<html>Bad Request</html>' }
    const meta = { requestId: null, timestamp: new Date(Date.parse('2026-03-01T12:00:00Z')).toISOString(), node: 7 }
    const good = (body: object) => ({ status: 200, body: { meta, trace: [], ...body } })
    if (path === 'users') return good(listUsers(cursor))
    if (path === 'documents') return good(listDocuments(cursor, updatedAfter))
    if (path === 'api-clients') return good(listClients(cursor))
    if (path === 'roles') return good({ data: roles })
    if (path === 'permissions') return good({ data: [] })
    if (path === 'authentication-settings') {
      const flags = { ssoEnabled: false, ssoEnforced: false, mfaEnabled: true }
      return good({ data: { ...flags, providerType: null, tenantName: null } })
    }
    const user = users.find(({ userId }) => path === `users/${userId}`)
    if (user === undefined) return { status: 404, body: { meta, error: 'NOT_FOUND: no such user' } }
    return good({ data: { ...user, roleId: 1 } })
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    // A connection that was kept alive is closed as soon as somebody relies on it.
    if (used.has(request.socket)) {
      request.socket.destroy()
      return
    }
    used.add(request.socket)
    asked.push(request.url ?? '')
    const { status, body } = answer(new URL(request.url ?? '', 'http://server'))
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const zipped = asked.length % 2 === 0
    response.sendDate = false
    response.writeHead(status, { 'Content-Type': 'text/plain', ...(zipped ? { 'CONTENT-ENCODING': 'GZip' } : {}) })
    const bytes = zipped ? gzipSync(text) : Buffer.from(text)
    response.write(bytes.subarray(0, 7))
    response.end(bytes.subarray(7))
  }

  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/tenant`,
    asked,
    users,
    clients,
    documents,
    roles,
    put(document) {
      const fileId = String(document['fileId'] ?? randomUUID().toUpperCase())
      documents.delete(fileId)
      documents.set(fileId, { ...document, fileId })
      changedAt.set(fileId, ++changes)
    },
    forget: () => places.clear(),
  }
}
