import { SyncError } from '../../model/errors.ts'
import type { PresentServer } from './present-server.ts'
import { type AnyStatement, PostgresStatement } from './statement.ts'

/** `progress`: a crash of the server can lose it, together with later progress. */
export type Kind = 'read' | 'write' | 'progress'

const statementOf = (name: string, text: string) =>
  new PostgresStatement<readonly unknown[], unknown>(text, `tenantwatch_${name}`, 'values')

/** In microseconds since the epoch. */
export const serverStart = 'cast(extract(epoch from pg_postmaster_start_time()) * 1000000 as bigint)'

/** The server's start, which identifies the server, and whether triggers fire there. */
const found = `concat(${serverStart}, ' ', current_setting('session_replication_role'))`

/** Longest wait for a lock, in milliseconds: other tenants wait, too, and a dead owner counts as alive for longer. */
const lockMs = 8000

/** Also overrides settings of role and database that would change the meaning of statements. */
const limits = (commits: string) => `select ${found}, set_config('statement_timeout', $1, true),
  set_config('idle_in_transaction_session_timeout', $2, true), set_config('lock_timeout', '${lockMs}', true),
  set_config('search_path', coalesce($3, current_setting('search_path')), true), set_config('array_nulls', 'on', true),
  set_config('synchronous_commit', ${commits}, true)`

const commits = "current_setting('synchronous_commit')"

export const begin: Readonly<Record<Kind, AnyStatement>> = {
  read: statementOf('begin_read', 'begin isolation level repeatable read, read only'),
  write: statementOf('begin', 'begin isolation level repeatable read'),
  progress: statementOf('begin', 'begin isolation level repeatable read'),
}

/** Parameters: statement and idle limit in milliseconds, search path. */
export const limiting: Readonly<Record<Kind, AnyStatement>> = {
  read: statementOf('limits_read', limits(commits)),
  write: statementOf('limits', limits(`case ${commits} when 'off' then 'on' else ${commits} end`)),
  progress: statementOf('progress', limits("'off'")),
}

export const committing = statementOf('commit', 'commit')

/**
 * @param rows the answer to `limiting`.
 * @throws SyncError `store` when the connection must not be used.
 */
export function insistOnUse(kind: Kind, rows: readonly unknown[], server: PresentServer | undefined): void {
  const [start = '', role] = String(rows[0]).split(' ')
  server?.insist(start)
  if (kind !== 'read' && role === 'replica')
    throw new SyncError('store', 'session_replication_role=replica switches the triggers of the database off', {
      hint: 'Reset it for the user, the database or the server, whichever sets it',
    })
}
