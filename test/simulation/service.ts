import type { ResourceName } from '../../src/model/resource-names.ts'
import type { CursorBook, CursorContent, Position, SortKey } from './cursors.ts'
import type { Feed, Readings } from './readings.ts'
import type { ClientTruth, DocumentTruth, RoleTruth, UserTruth, World } from './world.ts'

/** An answer before any fault is laid upon it. */
export interface ServiceAnswer {
  readonly status: number
  readonly data: unknown
  readonly pagination: Record<string, unknown> | null
  readonly code: string | null
  /** Ids shown by a list or look-up, as the world knows them. */
  readonly shown: readonly string[]
}

interface Row {
  readonly id: string
  readonly key: SortKey
  readonly body: Record<string, unknown>
  readonly touched: number | null
}

/** Faults that make an answer untrue; none by default. */
export interface Tricks {
  /** Records that the tenant denies, in lists and by id. */
  isHidden(id: string): boolean
  /** True when a later page is to begin behind this record, which it should begin with. */
  skips(feed: Feed, id: string): boolean
  /** The version of a user that a look-up gives. */
  version(user: UserTruth): UserTruth
}

const noTricks: Tricks = { isHidden: () => false, skips: () => false, version: (user) => user }

export interface Service {
  answer(path: string, world: World, tricks?: Tricks): ServiceAnswer
}

/** A faithful model of the specification's reading endpoints, without wire and without faults. */
export function createService(readings: Readings, cursors: CursorBook): Service {
  function usersOf(world: World): Row[] {
    return world.users.live().map((user) => {
      const { userId, createdAt } = user
      return {
        id: String(userId),
        key: [createdAt, userId],
        body: renderUser(user, readings, false),
        touched: createdAt,
      }
    })
  }

  function documentsOf(world: World): Row[] {
    return world.documents.live().map((document) => {
      const { fileId, createdAt, updatedAt } = document
      const order = { createdAt, updatedAt: updatedAt ?? createdAt, fileId: 0 }[readings.documentOrder]
      const touched = updatedAt ?? (readings.updatedAfterNulls ? createdAt : null)
      return { id: fileId, key: [order, fileId], body: renderDocument(document, readings), touched }
    })
  }

  function clientsOf(world: World): Row[] {
    return world.clients.live().map((client) => {
      const { clientId, createdAt } = client
      return { id: clientId, key: [createdAt, clientId], body: renderClient(client, readings), touched: null }
    })
  }

  const rowsOf = { users: usersOf, documents: documentsOf, 'api-clients': clientsOf }

  function list(feed: Feed, world: World, query: URLSearchParams, tricks: Tricks): ServiceAnswer {
    const sent = query.get('cursor')
    const updatedAfter = query.get('updatedAfter')
    if (sent !== null && updatedAfter !== null) return refusal(400, 'VALIDATION_FAILED')
    const content = sent === null ? null : cursors.read(sent, feed, world.name)
    // API clients ignore an invalid cursor; users and documents refuse it (docs/internals/api.md#cursors).
    if (sent !== null && content === null && feed !== 'api-clients') return refusal(400, 'VALIDATION_FAILED')
    const since = content?.updatedAfter ?? (updatedAfter === null ? null : Date.parse(updatedAfter))
    const rows = rowsOf[feed](world)
      .filter(({ id, touched }) => !tricks.isHidden(id) && (since === null || (touched !== null && touched >= since)))
      .sort((a, b) => compare(a.key, b.key))
    const position = content?.position ?? beginning(readings)
    const begin = startOf(rows, position)
    const first = rows[begin]
    // Only what `updatedAfter` would still show: the daemon has no other way to ask for a record.
    const isLate = begin > 0 && first !== undefined && (feed !== 'documents' || first.touched !== null)
    const start = isLate && since === null && tricks.skips(feed, first.id) ? begin + 1 : begin
    const size = readings.pageSize[feed]
    const page = rows.slice(start, start + size)
    const hasMore = start + size < rows.length || (readings.hasMoreWhenFull && page.length === size)
    const next: CursorContent = {
      feed,
      tenant: world.name,
      position: positionAfter(page, position, start),
      updatedAfter: hasMore ? since : null,
    }
    const shown = page.map(({ id }) => id)
    const nextCursor =
      hasMore || readings.lastPageCursor ? cursors.issue(next, content === null ? null : sent, shown) : null
    const limit = feed === 'api-clients' ? {} : { limit: size }
    return {
      status: 200,
      code: null,
      data: page.map(({ body }) => body),
      pagination: { ...limit, ...cursorField(nextCursor, readings), hasMore },
      shown,
    }
  }

  function whole(data: readonly Record<string, unknown>[], idField: string): ServiceAnswer {
    const shown = data.map((body) => String(body[idField]))
    const ordered = readings.listOrder === 'reversed' ? data.toReversed() : data
    return { status: 200, code: null, data: ordered, pagination: null, shown }
  }

  function user(world: World, id: string, tricks: Tricks): ServiceAnswer {
    const found = world.users.get(id)
    if (found === null || tricks.isHidden(id)) return refusal(404, 'NOT_FOUND')
    const data = renderUser(tricks.version(found), readings, true)
    return { status: 200, code: null, data, pagination: null, shown: [id] }
  }

  return {
    answer(path, world, tricks = noTricks) {
      const url = new URL(path, 'http://tenant')
      const name = url.pathname.replace('/api/public/', '')
      if (name === 'users' || name === 'documents' || name === 'api-clients')
        return list(name, world, url.searchParams, tricks)
      if (name === 'roles')
        return whole(
          world.roles.current.map((role) => renderRole(role, readings)),
          'roleId',
        )
      if (name === 'permissions')
        return whole(
          world.permissions.live().map((one) => ({ ...one })),
          'permissionId',
        )
      if (name === 'authentication-settings') {
        return { status: 200, code: null, data: world.settings.current, pagination: null, shown: ['0'] }
      }
      const id = /^users\/(\d+)$/.exec(name)?.[1]
      return id === undefined ? refusal(404, 'NOT_FOUND') : user(world, id, tricks)
    },
  }
}

export function refusal(status: number, code: string): ServiceAnswer {
  return { status, code, data: null, pagination: null, shown: [] }
}

function beginning({ cursorKind }: Readings): Position {
  return cursorKind === 'offset' ? { offset: 0 } : { after: null }
}

function startOf(rows: readonly Row[], position: Position): number {
  if ('offset' in position) return Math.min(position.offset, rows.length)
  const { after } = position
  if (after === null) return 0
  const found = rows.findIndex(({ key }) => compare(key, after) > 0)
  return found === -1 ? rows.length : found
}

function positionAfter(page: readonly Row[], position: Position, start: number): Position {
  // An offset that overshot after deletions stays where it is: what comes meanwhile is passed over.
  if ('offset' in position) return { offset: Math.max(position.offset, start + page.length) }
  return { after: page.at(-1)?.key ?? position.after }
}

function compare([a, i]: SortKey, [b, j]: SortKey): number {
  if (a !== b) return a < b ? -1 : 1
  return i === j ? 0 : i < j ? -1 : 1
}

function cursorField(cursor: string | null, { absentCursor }: Readings): Record<string, unknown> {
  if (cursor !== null) return { nextCursor: cursor }
  return absentCursor === 'missing' ? {} : { nextCursor: absentCursor === 'empty' ? '' : null }
}

/** One request taken apart. */
export interface Asked {
  readonly path: string
  readonly resource: ResourceName
  /** The list it is a page of; null for everything else. */
  readonly feed: Feed | null
  readonly cursor: string | null
  readonly updatedAfter: boolean
}

export function isFeedName(name: string): name is Feed {
  return name === 'users' || name === 'documents' || name === 'api-clients'
}

export function resourceOf(path: string): ResourceName {
  const [name = ''] = path.replace('/api/public/', '').split(/[/?]/)
  if (isFeedName(name) || name === 'roles' || name === 'permissions' || name === 'authentication-settings') return name
  throw new TypeError(`The daemon asked for ${path}`)
}

export function askedOf(path: string): Asked {
  const { pathname, searchParams } = new URL(path, 'http://tenant')
  const name = pathname.replace('/api/public/', '')
  return {
    path,
    resource: resourceOf(path),
    feed: isFeedName(name) ? name : null,
    cursor: searchParams.get('cursor'),
    updatedAfter: searchParams.has('updatedAfter'),
  }
}

type Style = Pick<Readings, 'dates' | 'unknownFields' | 'upperGuids'>
type Body = Record<string, unknown>

/** An instant as the modelled service writes it. */
function dateText(ms: number, { dates }: Pick<Style, 'dates'>): string {
  const text = new Date(ms).toISOString()
  if (dates === 'millis') return text
  return dates === 'seven' ? text.replace('Z', '0000Z') : text.slice(0, -1)
}

const guid = (id: string, { upperGuids }: Style) => (upperGuids ? id.toUpperCase() : id)
const extras = ({ unknownFields }: Style): Body => (unknownFields ? { tags: ['a', 'b'] } : {})

export function renderUser(user: UserTruth, style: Style, withRoleId: boolean): Body {
  return {
    ...user,
    roleId: withRoleId ? user.roleId : null,
    createdAt: dateText(user.createdAt, style),
    ...extras(style),
  }
}

export function renderDocument({ statusSince: _, ...document }: DocumentTruth, style: Style): Body {
  const { createdAt, updatedAt, fileId } = document
  return {
    ...document,
    fileId: guid(fileId, style),
    createdAt: dateText(createdAt, style),
    updatedAt: updatedAt === null ? null : dateText(updatedAt, style),
    ...extras(style),
  }
}

export function renderClient(client: ClientTruth, style: Style): Body {
  return {
    ...client,
    clientId: guid(client.clientId, style),
    secretExpirationDate: dateText(client.secretExpirationDate, style),
    createdAt: dateText(client.createdAt, style),
    ...extras(style),
  }
}

export function renderRole(role: RoleTruth, style: Style): Body {
  return { ...role, description: `${role.name} role`, type: 'User', isReadOnly: false, ...extras(style) }
}
