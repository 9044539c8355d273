import BetterSqlite3 from 'better-sqlite3'
import { overRecords } from '../../../support/record-tables.ts'

export type Row = Readonly<Record<string, unknown>>

/** The comparable content of a mirror: everything except times, request ids and row numbers. */
export interface Look {
  readonly users: readonly Row[]
  readonly history: readonly string[]
  readonly findings: readonly string[]
  readonly events: readonly string[]
  readonly fullSyncs: readonly Row[]
  readonly cursor: string | null
  readonly completeStartedAt: number | null
  readonly runs: number
  readonly broken: readonly string[]
}

/** Opens the file as the next program would, recovery included, and reads it. */
export function look(file: string): Look {
  const db = new BetterSqlite3(file)
  try {
    const rows = (sql: string) => db.prepare(overRecords(sql)).all() as Row[]
    const lines = (sql: string) => (db.prepare(sql).raw().all() as unknown[][]).map((row) => JSON.stringify(row)).sort()
    const state = rows("select cursor, complete_started_at as at from sync_states where resource = 'users'")[0]
    const health = rows('pragma integrity_check').map((row) => String(Object.values(row)[0]))
    return {
      users: rows(`select user_id as userId, first_name as firstName, last_name as lastName, email, state,
        mfa_status as mfaStatus, mfa_action as mfaAction, role_id as roleId, role_name as roleName,
        created_at as createdAt, removed_at is not null as removed, missing_since is not null as missing
        from users order by user_id`),
      history: rows("select kind, subject, data from events where kind like 'record.%'").flatMap(changes).sort(),
      findings: lines(
        `select fingerprint, "check", entity_id, severity, resolved_at is null, resolution, reopened from findings`,
      ),
      events: lines(
        `select subject, kind, iif(json_valid(data), data, '{}') ->> 'severity',
           iif(json_valid(data), data, '{}') ->> 'resolution' from events where kind like 'finding.%'`,
      ),
      fullSyncs: rows("select * from full_syncs where resource = 'users'"),
      cursor: (state?.['cursor'] ?? null) as string | null,
      completeStartedAt: (state?.['at'] ?? null) as number | null,
      runs: Number(rows('select count(*) as n from runs')[0]?.['n']),
      broken: [
        ...health.filter((text) => text !== 'ok'),
        ...rows('pragma foreign_key_check').map((row) => JSON.stringify(row)),
      ],
    }
  } finally {
    db.close()
  }
}

/** `[resource, key, change, field, before, after]` of each field; null without one. */
function changes({ kind, subject, data }: Row): readonly string[] {
  const [resource, key] = String(subject).split('/')
  const of = [resource, key, String(kind).replace('record.', '')]
  const fields = Object.entries(JSON.parse(String(data ?? '{}')) as Record<string, readonly unknown[]>)
  const whole = of[2] === 'changed' ? [] : [JSON.stringify([...of, null, null, null])]
  const parts = fields.map(([field, values]) =>
    JSON.stringify([...of.slice(0, 2), 'changed', field, ...values.map((value) => JSON.stringify(value))]),
  )
  return [...whole, ...parts]
}
