import { it } from 'vitest'
import { type FaultCase, type HarmlessCase, named, proveFault, proveHarmless } from './support/fault-case.ts'
import type { Fault } from './support/fault-server.ts'
import * as wire from './support/wire.ts'

const member = (name: string, value: unknown): Fault => wire.reshaped((envelope) => ({ ...envelope, [name]: value }))
const each = (name: string, values: readonly unknown[]): Record<string, Fault> =>
  Object.fromEntries(values.map((value) => [`${name} ${JSON.stringify(value)}`, member(name, value)]))
const eachPaged = (name: string, values: readonly unknown[]): Record<string, Fault> =>
  Object.fromEntries(values.map((value) => [`${name} ${JSON.stringify(value)}`, wire.paged({ [name]: value })]))

/** Pages for ever: the first one of the feed again and again, each with another cursor. */
function endless(data?: readonly unknown[], cursorOf = (page: number) => `c${page}`): Fault {
  let page = 0
  return async (context) => {
    const beginning = { ...context, good: () => context.good(context.request.path) }
    const pagination = { hasMore: true, nextCursor: cursorOf(page++) }
    await wire.reshaped((envelope) => ({ ...envelope, data: data ?? envelope.data, pagination }))(beginning)
  }
}

const broken = { reason: 'protocol', requests: 1 } as const

const faults: readonly FaultCase[] = [
  {
    id: 'V1',
    what: 'an envelope without its parts',
    ...broken,
    family: () => ({
      ...each('data', [undefined]),
      ...each('meta', [undefined, null, [], 'x']),
      ...each('pagination', [undefined]),
    }),
  },
  {
    id: 'V2',
    what: 'data that is no list',
    on: 'documents',
    ...broken,
    family: () => each('data', [null, {}, 'none', 0, false]),
  },
  {
    id: 'V2',
    what: 'data that is no list of roles',
    on: 'roles',
    ...broken,
    family: () => each('data', [null, {}, '']),
  },
  {
    id: 'V2',
    what: 'data that is no list of permissions',
    on: 'permissions',
    ...broken,
    family: () => each('data', [null, 0]),
  },
  {
    id: 'V2',
    what: 'data that is no object',
    on: 'authentication-settings',
    ...broken,
    family: () => each('data', [null, [], 'x', 1]),
  },
  {
    id: 'V3',
    what: 'pagination that is none',
    on: 'api-clients',
    ...broken,
    family: () => each('pagination', [null, [], 'x', true]),
  },
  {
    id: 'V4',
    what: 'hasMore that is no boolean',
    ...broken,
    family: () => eachPaged('hasMore', [undefined, null, 'false', 'true', 0, 1, []]),
  },
  {
    id: 'V5',
    what: 'more pages without a cursor',
    on: 'documents',
    ...broken,
    family: () => ({
      null: wire.paged({ hasMore: true, nextCursor: null }),
      empty: wire.paged({ hasMore: true, nextCursor: '' }),
      absent: wire.paged({ hasMore: true, nextCursor: undefined }),
    }),
  },
  {
    id: 'V5',
    what: 'a cursor that is no text',
    ...broken,
    family: () => eachPaged('nextCursor', [5, true, {}, ['x']]),
  },
  {
    id: 'V6',
    what: 'cursors in a circle',
    modes: ['full'],
    reason: 'protocol',
    requests: 4,
    family: () => ({
      'one for all pages': endless(undefined, () => 'same'),
      'two in turn': endless(undefined, (page) => `turn ${page % 2}`),
      'three in turn': endless(undefined, (page) => `round ${page % 3}`),
    }),
  },
  {
    id: 'V7',
    what: 'empty pages for ever',
    on: 'documents',
    modes: ['full'],
    reason: 'protocol',
    requests: 3,
    family: () => ({ empty: endless([]) }),
  },
  {
    id: 'V7',
    what: 'empty pages of clients for ever',
    on: 'api-clients',
    reason: 'protocol',
    requests: 12,
    family: () => ({ empty: endless([]) }),
  },
  {
    id: 'V9',
    what: 'pages for ever',
    modes: ['full'],
    reason: 'protocol',
    requests: 8,
    family: () => ({ repeated: endless() }),
    scene: { settings: { api: { maxPages: 8 } } },
  },
  {
    id: 'V13',
    what: 'an ignored cursor',
    on: 'api-clients',
    reason: 'invalid_cursor',
    requests: 2,
    family: () => ({ repeated: endless() }),
  },
  {
    id: 'V15',
    what: 'a cursor of 100 KB',
    on: 'documents',
    ...broken,
    fault: wire.paged({ nextCursor: 'x'.repeat(100_000) }),
  },
]

it.each(named(faults))('%s ends the run, and nothing of it is kept', (_, row) => proveFault(row))

/** Cursors as a hostile server would write them, turned back into the right ones when they return. */
function disguised(disguise: (cursor: string) => string): Fault {
  const right = new Map<string, string>()
  return async (context) => {
    const url = new URL(context.request.url, 'http://x')
    const sent = url.searchParams.get('cursor')
    if (sent !== null) url.searchParams.set('cursor', right.get(sent) ?? sent)
    const asked = { ...context, good: () => context.good(`${url.pathname}${url.search}`) }
    await wire.reshaped(({ pagination, ...rest }) => {
      const cursor = pagination?.['nextCursor']
      if (typeof cursor !== 'string' || pagination === null) return { ...rest, pagination }
      const nextCursor = disguise(cursor)
      right.set(nextCursor.toWellFormed(), cursor)
      return { ...rest, pagination: { ...pagination, nextCursor } }
    })(asked)
  }
}

let ids = 0

const harmless: readonly HarmlessCase[] = [
  {
    id: 'V1',
    what: 'unknown members beside the envelope',
    fault: wire.reshaped((envelope) => ({ ...envelope, links: [1], __proto__x: {} })),
  },
  { id: 'V1', what: 'no error member', on: 'documents', fault: member('error', undefined) },
  {
    id: 'V3',
    what: 'pagination on roles',
    on: 'roles',
    fault: member('pagination', { hasMore: false, nextCursor: null }),
  },
  { id: 'V10', what: 'a limit that makes no sense', fault: wire.paged({ limit: -5 }) },
  { id: 'V10', what: 'no limit', on: 'documents', fault: wire.paged({ limit: undefined }) },
  { id: 'V10', what: 'more records than the limit', on: 'api-clients', fault: wire.paged({ limit: 1 }) },
  {
    id: 'V11',
    what: 'every record twice',
    fault: wire.reshaped((envelope) => ({ ...envelope, data: [envelope.data, envelope.data].flat() })),
  },
  {
    id: 'V11',
    what: 'a client twice',
    on: 'api-clients',
    fault: wire.reshaped((envelope) => ({ ...envelope, data: [envelope.data, firstOf(envelope.data)].flat() })),
  },
  {
    id: 'V12',
    what: 'every user twice, then under another name, which no check reads',
    fault: wire.reshaped((envelope) => ({ ...envelope, data: [envelope.data, renamed(envelope.data)].flat() })),
  },
  {
    id: 'V12',
    what: 'a client twice, then under another name, which no check reads',
    on: 'api-clients',
    fault: wire.reshaped((envelope) => ({
      ...envelope,
      data: [envelope.data, renamed([firstOf(envelope.data)])].flat(),
    })),
  },
  {
    id: 'V14',
    what: 'users against their order',
    fault: wire.reshaped((envelope) => ({ ...envelope, data: [envelope.data].flat().reverse() })),
  },
  {
    id: 'V15',
    what: 'cursors with signs of their own',
    fault: disguised((cursor) => `&a=b%00#?/\\"'<>+ é😀${cursor}`),
  },
  {
    id: 'V15',
    what: 'cursors with line breaks',
    on: 'documents',
    fault: disguised((cursor) => `${cursor}\r\nx: y\r\n\r\nGET / HTTP/1.1`),
  },
  { id: 'V15', what: 'cursors of 8 KB', on: 'api-clients', fault: disguised((cursor) => cursor.padEnd(8000, '_')) },
  { id: 'V15', what: 'cursors with a lone surrogate', fault: disguised((cursor) => `\ud800${cursor}`) },
  {
    id: 'V18',
    what: 'request ids that are no GUIDs, and times that are none',
    fault: wire.reshaped((envelope) => ({
      ...envelope,
      meta: { requestId: `no guid ${++ids}`, timestamp: 'yesterday' },
    })),
  },
]

it.each(named(harmless))('%s is read', (_, row) => proveHarmless(row))

/** The same records under other names. */
function renamed(data: unknown): unknown {
  const other = { firstName: 'Other', name: 'Other' }
  return (data as readonly object[]).map((one) => {
    const changed = Object.entries(other).filter(([field]) => field in one)
    return { ...one, ...Object.fromEntries(changed) }
  })
}

function firstOf(data: unknown): unknown {
  return Array.isArray(data) ? data[0] : data
}
