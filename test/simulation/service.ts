import type { ResourceName } from '../../src/model/resource-names.ts'
import { Collection, type Key } from '../../src/simulator/collection.ts'
import { firstPosition, readPage } from '../../src/simulator/cursors.ts'
import { shownCursor } from '../../src/simulator/endpoints.ts'
import type { CursorBook, CursorContent } from './cursors.ts'
import type { Feed, Readings } from './readings.ts'
import type { UserTruth, World } from './world.ts'

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
  readonly key: Key
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
      const { userId: id, createdAt } = user
      const body = render({ ...user, roleId: null }, readings)
      return { id: String(id), key: { sort: createdAt, id }, body, touched: createdAt }
    })
  }

  function documentsOf(world: World): Row[] {
    return world.documents.live().map(({ statusSince: _, ...document }) => {
      const { fileId: id, createdAt, updatedAt } = document
      const sort = { createdAt, updatedAt: updatedAt ?? createdAt, fileId: 0 }[readings.documentOrder]
      const touched = updatedAt ?? (readings.updatedAfterNulls ? createdAt : null)
      return { id, key: { sort, id }, body: render(document, readings), touched }
    })
  }

  function clientsOf(world: World): Row[] {
    return world.clients.live().map((client) => {
      const { clientId: id, createdAt } = client
      return { id, key: { sort: createdAt, id }, body: render({ ...client }, readings), touched: null }
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
    const isShown = ({ id, touched }: Row) =>
      !tricks.isHidden(id) && (since === null || (touched !== null && touched >= since))
    const rows = new Collection(rowsOf[feed](world).filter(isShown), ({ key }) => key)
    const size = readings.pageSize[feed]
    const pageFrom = (from: CursorContent['position']) => readPage(rows, from, size, () => true)
    const position = content?.position ?? firstPosition(readings.cursorKind)
    const [first] = pageFrom(position).records
    const rank = first === undefined ? 0 : rows.rankAfter(first.key)
    // Only what `updatedAfter` would still show: the daemon has no other way to ask for a record.
    const isLate = rank > 1 && first !== undefined && (feed !== 'documents' || first.touched !== null)
    const isSkipped = isLate && since === null && tricks.skips(feed, first.id)
    const behindFirst = 'offset' in position ? { offset: rank } : { after: first?.key ?? null }
    const page = pageFrom(isSkipped ? behindFirst : position)
    const hasMore = page.hasMore || (readings.hasMoreWhenFull && page.records.length === size)
    const next = { feed, tenant: world.name, position: page.next, updatedAfter: hasMore ? since : null }
    const shown = page.records.map(({ id }) => id)
    const nextCursor =
      hasMore || readings.lastPageCursor ? cursors.issue(next, content === null ? null : sent, shown) : null
    return {
      status: 200,
      code: null,
      data: page.records.map(({ body }) => body),
      pagination: { ...(feed !== 'api-clients' && { limit: size }), ...shownCursor(nextCursor, readings), hasMore },
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
    const data = render({ ...tricks.version(found) }, readings)
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
          world.roles.current.map((role) => {
            return render({ ...role, description: `${role.name} role`, type: 'User', isReadOnly: false }, readings)
          }),
          'roleId',
        )
      if (name === 'permissions')
        return whole(
          world.lists.permissions.live().map((one) => ({ ...one })),
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

/** A record as the modelled service writes it. */
function render(record: Body, { dates, unknownFields, upperGuids }: Style): Body {
  const shown = Object.entries(record).map(([name, value]) => {
    if (upperGuids && (name === 'fileId' || name === 'clientId')) return [name, String(value).toUpperCase()]
    if (!/(At|Date)$/.test(name) || typeof value !== 'number') return [name, value]
    const text = new Date(value).toISOString()
    if (dates === 'millis') return [name, text]
    return [name, dates === 'seven' ? text.replace('Z', '0000Z') : text.slice(0, -1)]
  })
  return { ...Object.fromEntries(shown), ...(unknownFields && { tags: ['a', 'b'] }) }
}
