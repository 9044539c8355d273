import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'

/** Append-only tables, each with the columns that never change. */
export const auditLogs = {
  accepted_states: ['check', 'entity_id', 'state', 'at', 'reason'],
  changes: ['resource', 'key', 'at', 'kind', 'field', 'before', 'after', 'request_id'],
  check_status_changes: ['check', 'at', 'status', 'reason', 'entities', 'not_evaluated', 'since', 'rule', 'open'],
  configurations: ['at', 'digest', 'content'],
  decisions: ['hold_id', 'resource', 'hold_reason', 'count', 'reason', 'decided_at'],
  finding_events: ['fingerprint', 'at', 'kind', 'severity', 'message', 'evidence', 'resolution'],
  tenant_states: ['at', 'state'],
  waiver_changes: ['waiver', 'at', 'terms', 'check', 'fingerprint', 'accepted', 'changed'],
} as const

export type AuditLog = keyof typeof auditLogs

/** Logs in the order in which their entries are appended. */
export const auditLogNames = Object.keys(auditLogs) as AuditLog[]

/** Used as tenant id of the chain over the log that belongs to no tenant. */
export const sharedChain = 0

/** The log of the shared chain. In a tenant's chain, an entry with this name states the head of the shared chain. */
export const sharedLog = 'configurations' satisfies AuditLog

export const tenantLogs: readonly AuditLog[] = auditLogNames.filter((log) => log !== sharedLog)

/** The logs whose rows a chain seals. */
export function logsOf(tenantId: number): readonly AuditLog[] {
  return tenantId === sharedChain ? [sharedLog] : tenantLogs
}

/** Condition whose parameter is the tenant's id. */
export const belongsTo = (log: AuditLog) => (log === sharedLog ? `? = ${sharedChain}` : 'tenant_id = ?')

const timeOf = (log: AuditLog) => (log === 'decisions' ? 'decided_at' : 'at')

/** When a row was written, in milliseconds since the epoch; NaN where it states no number. */
export function timeIn(log: AuditLog, [, ...values]: LogRow): number {
  const time = values[(auditLogs[log] as readonly string[]).indexOf(timeOf(log))]
  return typeof time === 'number' ? time : Number.NaN
}

/** The id, followed by the columns of the log. */
export type LogRow = readonly [id: number, ...values: unknown[]]

/** Lower bound of ids: rows inserted by others may have ids below the mirror's first one. */
export const beforeAnyRow = Number.MIN_SAFE_INTEGER

/** No row of the mirror has an id above; it would not be an exact number here. */
export const afterAnyRow = Number.MAX_SAFE_INTEGER

export interface LogRange {
  readonly tenantId: number
  readonly after: number
  readonly to: number
  readonly most: number
}

/** Rows of a tenant after one id and up to another, in the order of their ids. */
export type LogRows = Readonly<Record<AuditLog, (tx: Sql, range: LogRange) => Promise<LogRow[]>>>

/** Number of rows of a tenant whose ids are beyond those that are sealed. */
export function strayRows(tx: Sql, database: Database, log: AuditLog, tenantId: number): Promise<number | undefined> {
  return database
    .prepareValues<[number], number>(
      `select count(*) from ${log} where ${belongsTo(log)} and (id <= ${beforeAnyRow} or id > ${afterAnyRow})`,
    )
    .get(tx, tenantId)
}

export function logRows(database: Database): LogRows {
  const reading = (log: AuditLog) => {
    const columns = ['id', ...auditLogs[log]].map((column) => `"${column}"`).join(', ')
    const select = database.prepareRows<[number, number, number, number], LogRow>(
      `select ${columns} from ${log} where ${belongsTo(log)} and id > ? and id <= ? order by id limit ?`,
    )
    return (tx: Sql, { tenantId, after, to, most }: LogRange) => select.all(tx, tenantId, after, to, most)
  }
  return Object.fromEntries(auditLogNames.map((log) => [log, reading(log)])) as LogRows
}
