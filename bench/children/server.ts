import { createServer, type Socket } from 'node:net'
import { type ApiPages, apiPages, type Prebuilt, serialDigits } from '../support/api-pages.ts'
import type { WorldState } from '../support/api-world.ts'

/** Requests since the last reading: by path, and for each second in which there were any. */
export interface Requests {
  readonly byPath: Readonly<Record<string, number>>
  readonly bySecond: Readonly<Record<string, number>>
}

/** Small tenants that differ in nothing but the GUIDs of their clients and documents, below `/t/NUMBER`. */
const small: WorldState = { users: 50, failing: 2, removed: 0, changed: 0, documents: 10, clients: 5 }

const startedAt = Date.now()
const smallTenant = apiPages(small, startedAt)
let bigTenant: ApiPages = smallTenant
let byPath = new Map<string, number>()
let bySecond = new Map<string, number>()
let answers = 0

const requestLine = /^GET (\/t\/\d+)?\/api\/public\/([^ ?]+)(?:\?([^ ]*))? HTTP\/1\.1\r\n/
const controlLine = /^GET \/bench\/([a-z]+)(?:\?([^ ]*))? HTTP\/1\.1\r\n/

function respond(socket: Socket, head: string): void {
  const [, prefix, path = '', query = ''] = requestLine.exec(head) ?? []
  if (path === '') {
    control(socket, head)
    return
  }
  const now = new Date().toISOString()
  count(path.startsWith('users/') ? 'users/{id}' : path, now.slice(0, 19))
  const cursor = /(?:^|&)cursor=([^&]*)/.exec(query)?.[1] ?? null
  const { bytes, serialAt, timestampAt } =
    prefix === undefined ? bigTenant.answer(path, cursor) : smallAnswer(prefix, path, cursor)
  bytes.write(String(answers++).padStart(serialDigits, '0'), serialAt, 'latin1')
  bytes.write(now, timestampAt, 'latin1')
  socket.write(bytes)
}

const withGuids = new Set(['api-clients', 'documents'])
const ownAnswers = new Map<string, Prebuilt>()

/** Tenants with the same GUIDs would be one tenant (docs/reliability.md#what-is-not-proven). */
function smallAnswer(prefix: string, path: string, cursor: string | null): Prebuilt {
  const answer = smallTenant.answer(path, cursor)
  if (!withGuids.has(path)) return answer
  const key = `${prefix} ${path} ${cursor}`
  const number = Number(prefix.slice('/t/'.length)).toString(16).padStart(4, '0')
  const text = () => answer.bytes.toString('latin1').replaceAll('-0000-4000-8000-', `-${number}-4000-8000-`)
  const own = ownAnswers.get(key) ?? { ...answer, bytes: Buffer.from(text(), 'latin1') }
  ownAnswers.set(key, own)
  return own
}

function count(path: string, second: string): void {
  byPath.set(path, (byPath.get(path) ?? 0) + 1)
  bySecond.set(second, (bySecond.get(second) ?? 0) + 1)
}

/** What the benchmarks ask of the server: to be another tenant, and what it was asked. */
function control(socket: Socket, head: string): void {
  const [, action, query = ''] = controlLine.exec(head) ?? []
  let answer: unknown = null
  if (action === 'become') {
    bigTenant = smallTenant
    bigTenant = apiPages(JSON.parse(decodeURIComponent(query)) as WorldState, startedAt)
  } else if (action === 'requests') {
    answer = { byPath: Object.fromEntries(byPath), bySecond: Object.fromEntries(bySecond) } satisfies Requests
    byPath = new Map()
    bySecond = new Map()
  }
  const body = JSON.stringify(answer)
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
}

// Beneath node:http, so that the server costs little beside what is measured.
const server = createServer((socket) => {
  let waiting = ''
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    waiting += chunk.toString('latin1')
    for (let end = waiting.indexOf('\r\n\r\n'); end >= 0; end = waiting.indexOf('\r\n\r\n')) {
      const head = waiting.slice(0, end + 4)
      waiting = waiting.slice(end + 4)
      respond(socket, head)
    }
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())
