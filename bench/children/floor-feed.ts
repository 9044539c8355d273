import BetterSqlite3 from 'better-sqlite3'
import { Agent } from 'undici'
import { peakMiB, timed } from '../support/measure.ts'
import type { FeedFloor, FeedFloorTask, Report } from '../support/reports.ts'

/** The least that reading all users of a tenant can cost: no check, no guard, no history. */
const task = JSON.parse(process.argv[2] ?? '') as FeedFloorTask

interface Page {
  readonly data: readonly Readonly<Record<string, string | number | boolean | null>>[]
  readonly pagination: { readonly nextCursor: string; readonly hasMore: boolean }
  readonly meta: { readonly requestId: string }
}

const agent = new Agent({ pipelining: 1, connections: 1 })
const headers = { accept: 'application/json', authorization: 'Bearer bench' }

async function ask(cursor: string | null) {
  const query = cursor === null ? '' : `?cursor=${cursor}`
  const { origin } = task
  return (await agent.request({ origin, path: `/api/public/users${query}`, method: 'GET', headers })).body
}

/** The cursor straight from the bytes; null at the end. */
function cursorIn(bytes: Buffer): string | null {
  const at = bytes.lastIndexOf('"pagination":')
  const [, cursor = '', more] = /"nextCursor":"(\w+)","hasMore":(\w+)/.exec(bytes.toString('latin1', at)) ?? []
  return more === 'true' ? cursor : null
}

async function readBytes(): Promise<number> {
  let pages = 0
  for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
    cursor = cursorIn(Buffer.from(await (await ask(cursor)).arrayBuffer()))
  }
  return pages
}

async function readPages(write: (page: Page) => void): Promise<number> {
  let pages = 0
  for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
    const page = JSON.parse(await (await ask(cursor)).text()) as Page
    write(page)
    cursor = page.pagination.hasMore ? page.pagination.nextCursor : null
  }
  return pages
}

const recordColumns = ['tenant_id', 'first_seen_at', 'first_request_id', 'read_at', 'request_id', 'user_id']
const strictColumns = ['first_name', 'last_name', 'email', 'state', 'mfa_status', 'mfa_action', 'role_name']
const timeColumns = ['role_id', 'created_at', 'created_at_ms']

/** One prepared upsert with positional arguments a record, one transaction a page, each commit on disk. */
function upsert(raw: BetterSqlite3.Database, guarded: boolean): (page: Page) => void {
  const columns = [...recordColumns, ...strictColumns, ...timeColumns]
  const updated = ['read_at', 'request_id', ...strictColumns, 'created_at', 'created_at_ms']
  const all = (table: string) => strictColumns.map((column) => `${table}.${column}`).join(', ')
  const guard = guarded ? `where (${all('users')}) is not (${all('excluded')})` : ''
  const statement = raw.prepare(
    `insert into users (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
     on conflict (tenant_id, user_id) do update set ${updated.map((c) => `${c} = excluded.${c}`).join(', ')} ${guard}`,
  )
  return raw.transaction(({ data, meta: { requestId } }: Page) => {
    const now = Date.now()
    for (const user of data) {
      const { userId, firstName, lastName, email, state, mfaStatus, mfaAction, roleId, roleName, createdAt } = user
      const flags = [mfaStatus ? 1 : 0, mfaAction ? 1 : 0] as const
      statement.run(
        1,
        now,
        requestId,
        now,
        requestId,
        userId,
        firstName,
        lastName,
        email,
        state,
        ...flags,
        roleName,
        roleId,
        createdAt,
        Date.parse(String(createdAt)),
      )
    }
  }).immediate
}

function openStore(): BetterSqlite3.Database {
  const raw = new BetterSqlite3(task.store)
  raw.pragma('journal_mode = WAL')
  raw.pragma('synchronous = FULL')
  const isNew = raw.prepare("select count(*) from sqlite_master where name = 'users'").pluck().get() === 0
  if (isNew) raw.exec(task.schema)
  return raw
}

async function work(floor: FeedFloor): Promise<Report> {
  if (floor === 'bytes' || floor === 'parse') {
    const { value: pages, ...cost } = await timed(() => (floor === 'bytes' ? readBytes() : readPages(() => {})))
    return { ...cost, peakMiB: peakMiB(), facts: { pages } }
  }
  const raw = openStore()
  const before = raw.prepare('select total_changes()').pluck()
  const write = upsert(raw, floor === 'guarded')
  const { value: pages, ...cost } = await timed(() => readPages(write))
  const written = Number(before.get())
  raw.close()
  return { ...cost, peakMiB: peakMiB(), facts: { pages, written } }
}

process.send?.(await work(task.floor))
process.disconnect?.()
await agent.close()
