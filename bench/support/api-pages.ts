import { apiWorld, firstUserId, guid, pageSize, type World, type WorldState } from './api-world.ts'

/** An answer whose bytes are ready; only its own id and the time of the response are written into it before it is sent. */
export interface Prebuilt {
  readonly bytes: Buffer
  /** Where the last twelve digits of `meta.requestId` stand. */
  readonly serialAt: number
  readonly timestampAt: number
}

/** What a tenant answers, every page of users and documents built beforehand. */
export interface ApiPages {
  /** The answer to a path below `/api/public/`, without its query; null where there is none. */
  answer(path: string, cursor: string | null): Prebuilt
}

/** Of the last group of a GUID. */
export const serialDigits = 12

const stamp = '2000-01-01T00:00:00.000Z'

/** Builds the answers of a tenant in this state. */
export function apiPages(state: WorldState, startedAt: number): ApiPages {
  const world = apiWorld(state, startedAt)
  const users = feed(state.users, (from, to) => list(from, to, usersOf(world)), 1)
  const documents = feed(state.documents, (from, to) => list(from, to, world.document), 2)
  const clients = feed(state.clients, (from, to) => list(from, to, world.client), 3, false)
  const whole = new Map(
    Object.entries({
      roles: prebuilt(200, world.roles, 'null', 4),
      permissions: prebuilt(200, world.permissions, 'null', 5),
      'authentication-settings': prebuilt(200, world.settings, 'null', 6),
    }),
  )
  return {
    answer(path, cursor) {
      if (path === 'users') return users(cursor)
      if (path === 'documents') return documents(cursor)
      if (path === 'api-clients') return clients(cursor)
      const index = path.startsWith('users/') ? Number(path.slice('users/'.length)) - firstUserId : -1
      if (index >= 0 && index < state.users && !world.isRemoved(index)) {
        return prebuilt(200, world.user(index, true), 'null', 7)
      }
      return whole.get(path) ?? failure(404, 'NOT_FOUND')
    },
  }
}

const usersOf = (world: World) => (index: number) => (world.isRemoved(index) ? null : world.user(index, false))

function list(from: number, to: number, record: (index: number) => string | null): string {
  const items: string[] = []
  for (let index = from; index < to; index++) {
    const item = record(index)
    if (item !== null) items.push(item)
  }
  return `[${items.join(',')}]`
}

/** A feed by offset: the page that ends it has a cursor, too, and from there on it is empty. */
function feed(size: number, render: (from: number, to: number) => string, kind: number, limited = true) {
  const build = (from: number) => {
    const to = Math.min(from + pageSize, size)
    const limit = limited ? `"limit":${pageSize},` : ''
    const next = `{${limit}"nextCursor":"${cursorAt(to)}","hasMore":${to < size}}`
    return prebuilt(200, render(from, to), next, kind, from)
  }
  const ready = Array.from({ length: Math.ceil(size / pageSize) || 1 }, (_, page) => build(page * pageSize))
  return (cursor: string | null): Prebuilt => {
    const from = cursor === null ? 0 : Number(/^c(\d{9})$/.exec(cursor)?.[1] ?? Number.NaN)
    if (!(from <= size)) return failure(400, 'VALIDATION_FAILED')
    return (from % pageSize === 0 ? ready[from / pageSize] : undefined) ?? build(from)
  }
}

const cursorAt = (offset: number) => `c${String(offset).padStart(9, '0')}`

function failure(status: number, code: string): Prebuilt {
  return prebuilt(status, 'null', 'null', 8, 0, `{"code":"${code}","message":"as asked"}`)
}

function prebuilt(status: number, data: string, pagination: string, kind: number, index = 0, error = 'null'): Prebuilt {
  const untilId = `{"data":${data},"pagination":${pagination},"error":${error},"meta":{"requestId":"${guid(kind, index)}`
  const before = `${untilId}","timestamp":"`
  const body = `${before}${stamp}"}}`
  const head = `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Refused'}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
  const serialAt = Buffer.byteLength(head + untilId) - serialDigits
  return { bytes: Buffer.from(head + body), serialAt, timestampAt: Buffer.byteLength(head + before) }
}
