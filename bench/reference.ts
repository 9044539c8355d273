/**
 * The benchmarks' peer: a program that mirrors the users list without tenantwatch, with undici, zod, drizzle-orm and
 * better-sqlite3.
 *
 *     node bench/reference.ts ORIGIN DATABASE prepared|diff
 *
 * `prepared` writes each user of each page; `diff` writes only users that differ. Both mark users that the list no longer
 * contains as removed. Neither verifies the tenant, holds back a mass removal, keeps history or evaluates anything.
 */
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { and, type Column, eq, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Agent, request } from 'undici'
import * as z from 'zod'

type Mode = 'prepared' | 'diff'
type Db = BetterSQLite3Database

const tenantId = 1
const attempts = 5
const firstBackoffMs = 250

const users = sqliteTable('users', {
  tenantId: integer('tenant_id').notNull(),
  userId: integer('user_id').notNull(),
  firstName: text('first_name'),
  lastName: text('last_name'),
  email: text('email'),
  state: text('state').notNull(),
  mfaStatus: integer('mfa_status', { mode: 'boolean' }).notNull(),
  mfaAction: integer('mfa_action', { mode: 'boolean' }).notNull(),
  roleId: integer('role_id'),
  roleName: text('role_name'),
  createdAt: text('created_at').notNull(),
  firstSeenAt: integer('first_seen_at').notNull(),
  seenRun: integer('seen_run').notNull(),
  removedAt: integer('removed_at'),
})

const syncState = sqliteTable('sync_state', {
  tenantId: integer('tenant_id').primaryKey(),
  run: integer('run').notNull(),
  cursor: text('cursor'),
  completedAt: integer('completed_at'),
})

const ddl = `
  create table if not exists users (
    tenant_id integer not null, user_id integer not null, first_name text, last_name text, email text,
    state text not null, mfa_status integer not null, mfa_action integer not null, role_id integer, role_name text,
    created_at text not null, first_seen_at integer not null, seen_run integer not null, removed_at integer,
    primary key (tenant_id, user_id));
  create index if not exists users_mfa on users (tenant_id, state, mfa_status);
  create index if not exists users_seen on users (tenant_id, seen_run);
  create table if not exists sync_state (
    tenant_id integer primary key, run integer not null, cursor text, completed_at integer);`

const pageSchema = z.object({
  data: z.array(
    z.object({
      userId: z.number().int().positive(),
      firstName: z.string().nullable(),
      lastName: z.string().nullable(),
      email: z.string().nullable(),
      state: z.string(),
      mfaStatus: z.boolean(),
      mfaAction: z.boolean(),
      roleId: z.number().int().nullable(),
      roleName: z.string().nullable(),
      createdAt: z.iso.datetime(),
    }),
  ),
  pagination: z.object({ limit: z.number(), nextCursor: z.string().nullable(), hasMore: z.boolean() }),
  error: z.null(),
  meta: z.object({ requestId: z.string(), timestamp: z.iso.datetime() }),
})
type Page = z.infer<typeof pageSchema>

async function fetchPage(agent: Agent, url: URL): Promise<Page> {
  for (let attempt = 1; ; attempt++) {
    try {
      const headers = { authorization: 'Bearer bench', accept: 'application/json' }
      const { statusCode, body } = await request(url, { dispatcher: agent, headers })
      const answer = await body.json()
      if (statusCode !== 200) throw new Error(`GET ${url}: status ${statusCode}`)
      return pageSchema.parse(answer)
    } catch (error) {
      if (attempt === attempts || error instanceof z.ZodError) throw error
      await pause(firstBackoffMs * 2 ** (attempt - 1))
    }
  }
}

async function* readPages(origin: string): AsyncGenerator<Page> {
  const agent = new Agent({ connections: 1 })
  const url = new URL('/api/public/users', origin)
  try {
    for (;;) {
      const page = await fetchPage(agent, url)
      yield page
      const { hasMore, nextCursor } = page.pagination
      if (!hasMore || nextCursor === null) return
      url.searchParams.set('cursor', nextCursor)
    }
  } finally {
    await agent.close()
  }
}

const { firstName, lastName, email, state, mfaStatus, mfaAction, roleId, roleName, createdAt } = users
const mirrored = { firstName, lastName, email, state, mfaStatus, mfaAction, roleId, roleName, createdAt }
const incoming = ({ name }: Column): SQL => sql`excluded.${sql.identifier(name)}`

/** One statement for every user of the run, so that the query is built once. */
function prepareUpsert(db: Db, mode: Mode, run: number) {
  const { placeholder } = sql
  const columns = Object.values(mirrored)
  const separator = sql`, `
  const current = sql.join(columns, separator)
  const differs = sql`(${current}) is not (${sql.join(columns.map(incoming), separator)})`
  const set = {
    ...Object.fromEntries(Object.entries(mirrored).map(([field, column]) => [field, incoming(column)])),
    removedAt: sql`null`,
  }
  const target = [users.tenantId, users.userId]
  return db
    .insert(users)
    .values({
      tenantId,
      userId: placeholder('userId'),
      firstName: placeholder('firstName'),
      lastName: placeholder('lastName'),
      email: placeholder('email'),
      state: placeholder('state'),
      mfaStatus: placeholder('mfaStatus'),
      mfaAction: placeholder('mfaAction'),
      roleId: placeholder('roleId'),
      roleName: placeholder('roleName'),
      createdAt: placeholder('createdAt'),
      firstSeenAt: placeholder('now'),
      seenRun: run,
    })
    .onConflictDoUpdate(
      mode === 'diff'
        ? { target, set, setWhere: sql`${differs} or ${users.removedAt} is not null` }
        : { target, set: { ...set, seenRun: run } },
    )
    .prepare()
}

/** Marks users of earlier runs as removed; returns their number. */
function removeUnseen(db: Db, run: number): number {
  const unseen = and(eq(users.tenantId, tenantId), lt(users.seenRun, run), isNull(users.removedAt))
  return db.update(users).set({ removedAt: Date.now() }).where(unseen).run().changes
}

/** The same where unchanged rows are not written, so that only this process knows which users the list contained. */
function removeMissing(db: Db, seen: ReadonlySet<number>): number {
  const ofTenant = eq(users.tenantId, tenantId)
  const live = db
    .select({ userId: users.userId })
    .from(users)
    .where(and(ofTenant, isNull(users.removedAt)))
    .all()
  const missing = live.filter(({ userId }) => !seen.has(userId))
  db.transaction((tx) => {
    for (const { userId } of missing) {
      tx.update(users)
        .set({ removedAt: Date.now() })
        .where(and(ofTenant, eq(users.userId, userId)))
        .run()
    }
  })
  return missing.length
}

async function sync(db: Db, origin: string, mode: Mode) {
  const [previous] = db.select().from(syncState).where(eq(syncState.tenantId, tenantId)).all()
  const run = (previous?.run ?? 0) + 1
  const upsert = prepareUpsert(db, mode, run)
  const seen = new Set<number>()
  let [records, written] = [0, 0]
  for await (const { data, pagination } of readPages(origin)) {
    const now = Date.now()
    const next = { run, cursor: pagination.nextCursor, completedAt: pagination.hasMore ? null : now }
    db.transaction((tx) => {
      for (const user of data) written += upsert.run({ ...user, now }).changes
      tx.insert(syncState)
        .values({ tenantId, ...next })
        .onConflictDoUpdate({ target: syncState.tenantId, set: next })
        .run()
    })
    if (mode === 'diff') for (const { userId } of data) seen.add(userId)
    records += data.length
  }
  return { records, written, removed: mode === 'diff' ? removeMissing(db, seen) : removeUnseen(db, run) }
}

const [origin = '', path = '', mode] = process.argv.slice(2)
if (mode !== 'prepared' && mode !== 'diff') throw new Error('Expected ORIGIN DATABASE prepared|diff')
const sqlite = new BetterSqlite3(path)
sqlite.pragma('journal_mode = WAL')
sqlite.pragma('synchronous = FULL')
sqlite.exec(ddl)
process.stdout.write(`${JSON.stringify(await sync(drizzle(sqlite), origin, mode))}\n`)
sqlite.close()
