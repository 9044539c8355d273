import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import type { CheckResult, FindingStore, OpenFindingDigest, StoredFinding, WrittenFinding } from '../port.ts'
import { oneOf } from '../words.ts'
import type { FindingLog } from './finding-log.ts'
import { rowWriter } from './row-writer.ts'

/** Findings that are written in one turn of the event loop, also within a transaction. */
const atOnce = 500
const digestsAtOnce = 2000

export interface FindingWriting {
  readonly check: string
  readonly at: number
  /** When findings that are resolved now were last seen failing. */
  readonly lastSeenAt: number
}

/** Writes the changed findings of a check result, with their history. Run inside its transaction. */
export function findingWriter(database: Database, log: FindingLog) {
  const { isIn, listOf } = database.sql
  const put = rowWriter(
    database,
    `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence, digest,
       first_seen_at, last_seen_at, reopened)`,
    12,
    `on conflict (fingerprint) do update set severity = excluded.severity, message = excluded.message,
       evidence = excluded.evidence, digest = excluded.digest, first_seen_at = excluded.first_seen_at,
       last_seen_at = excluded.last_seen_at, resolved_at = null, resolution = null, reopened = excluded.reopened`,
  )
  const resolve = database.prepare<[number, number, number, string, List]>(
    `update findings set resolved_at = ?, last_seen_at = case when last_seen_at > ? then last_seen_at else ? end,
       resolution = ? where ${isIn('fingerprint')}`,
  )
  return {
    async write(
      tx: Sql,
      tenantId: number,
      { check, at, lastSeenAt }: FindingWriting,
      { written, resolved }: Pick<CheckResult, 'written' | 'resolved'>,
    ): Promise<void> {
      const rowOf = (finding: WrittenFinding) => {
        const { fingerprint, entityType, entityId, severity, message, evidence, digest, firstSeenAt, reopened } =
          finding
        const about = [fingerprint, tenantId, check, entityType, entityId]
        return [...about, severity, message, evidence, digest, firstSeenAt, at, reopened]
      }
      for (const part of inParts(written)) {
        await log.written(tx, tenantId, at, part)
        await put(tx, part.map(rowOf))
        await yieldToEventLoop()
      }
      for (const part of inParts(resolved)) {
        await log.resolved(tx, tenantId, at, part)
        for (const [resolution, some] of Map.groupBy(part, (one) => one.resolution)) {
          const fingerprints = listOf(some.map(({ fingerprint }) => fingerprint))
          await resolve.run(tx, at, lastSeenAt, lastSeenAt, resolution, fingerprints)
        }
        await yieldToEventLoop()
      }
    },
  }
}

export function* inParts<T>(items: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < items.length; from += atOnce) yield items.slice(from, from + atOnce)
}

type DigestRow = Omit<OpenFindingDigest, 'severity'> & { readonly id: number; readonly severity: string }

/** Findings as an evaluation compares them. */
export function comparedFindings(database: Database): Pick<FindingStore, 'openDigests' | 'storedFindings'> {
  const { isIn, listOf } = database.sql
  const next = database.prepare<[number, string, number], DigestRow>(
    `select id, fingerprint, entity_type as "entityType", entity_id as "entityId", severity, digest from findings
     where tenant_id = ? and "check" = ? and resolved_at is null and id > ? order by id limit ${digestsAtOnce}`,
  )
  const stored = database.prepare<[List], StoredFinding>(
    `select fingerprint, evidence, first_seen_at as "firstSeenAt", resolved_at as "resolvedAt", reopened from findings
     where ${isIn('fingerprint')}`,
  )
  return {
    async *openDigests(tenantId, check) {
      for (let after = 0; ; ) {
        const reached = after
        const rows = await database.read((tx) => next.all(tx, tenantId, check, reached))
        if (rows.length > 0)
          yield rows.map(({ id: _, severity, ...row }) => ({ ...row, severity: oneOf(severities, severity) }))
        if (rows.length < digestsAtOnce) return
        after = rows.at(-1)?.id ?? 0
        await yieldToEventLoop()
      }
    },
    storedFindings: (fingerprints) => database.read((tx) => stored.all(tx, listOf(fingerprints))),
  }
}
