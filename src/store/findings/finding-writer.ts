import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Resolution } from '../../model/check-status.ts'
import { inParts } from '../../model/in-parts.ts'
import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import { eventAppender, type FindingFacts, type FindingKind, type NewEvent } from '../event-store.ts'
import { fromJson } from '../words.ts'
import type { FindingRow, OpenFindingDigest, StoredFinding } from './finding-store.ts'

/** Rows of one statement. */
const rowsAtOnce = 50

/** A finding as a check result writes it. */
export interface WrittenFinding
  extends OpenFindingDigest,
    Pick<FindingRow, 'message' | 'firstSeenAt' | 'reopened'>,
    Pick<StoredFinding, 'evidence'> {
  /** `replaced`: the entity's id was reused, so that the finding ends and a new one begins. */
  readonly kind: 'opened' | 'reopened' | 'changed' | 'replaced'
  /** True if the replaced finding was open. */
  readonly replacesOpen: boolean
}

export interface ResolvedFinding extends Pick<OpenFindingDigest, 'fingerprint' | 'severity'> {
  readonly resolution: Resolution
}

interface FindingWriting {
  readonly check: string
  readonly written: readonly WrittenFinding[]
  readonly resolved: readonly ResolvedFinding[]
  readonly at: number
  /** When findings that are resolved now were last seen failing. */
  readonly lastSeenAt: number
}

type OpenRow = Omit<FindingFacts, 'evidence' | 'resolution'> & {
  readonly fingerprint: string
  readonly evidence: string
}

/** Writes the changed findings of a check result, with their events. Run inside its transaction. */
export function findingWriter(database: Database) {
  const { isIn, listOf, rowsOf } = database.sql
  const append = eventAppender(database)
  const put = (rows: number) =>
    database.prepare(
      `insert into findings (fingerprint, tenant_id, "check", entity_type, entity_id, severity, message, evidence, digest,
         first_seen_at, last_seen_at, reopened) values ${rowsOf(rows, 12)}
       on conflict (fingerprint) do update set severity = excluded.severity, message = excluded.message,
         evidence = excluded.evidence, digest = excluded.digest, first_seen_at = excluded.first_seen_at,
         last_seen_at = excluded.last_seen_at, resolved_at = null, resolution = null, reopened = excluded.reopened`,
    )
  const [putOne, putMany] = [put(1), put(rowsAtOnce)]
  const openRows = database.prepare<[List], OpenRow>(
    `select fingerprint, severity, message, evidence, first_seen_at as "firstSeenAt", reopened from findings
     where ${isIn('fingerprint')} and resolved_at is null order by id`,
  )
  const resolve = database.prepare<[number, number, number, string, List]>(
    `update findings set resolved_at = ?, last_seen_at = case when last_seen_at > ? then last_seen_at else ? end,
       resolution = ? where ${isIn('fingerprint')}`,
  )

  async function resolvedEvents(tx: Sql, at: number, fingerprints: readonly string[], resolution: Resolution) {
    const rows = await openRows.all(tx, listOf(fingerprints))
    return rows.map((row) => findingEvent('finding.resolved', at, row, resolution))
  }

  return async (
    tx: Sql,
    tenantId: number,
    { check, written, resolved, at, lastSeenAt }: FindingWriting,
  ): Promise<void> => {
    for (const part of inParts(written)) {
      const replaced = part.filter(({ replacesOpen }) => replacesOpen).map(({ fingerprint }) => fingerprint)
      const ended = replaced.length === 0 ? [] : await resolvedEvents(tx, at, replaced, 'entity_removed')
      const begun = part.map((finding) => {
        const kind = finding.kind === 'replaced' ? 'opened' : finding.kind
        return findingEvent(`finding.${kind}`, at, finding, null)
      })
      await append(tx, tenantId, [...ended, ...begun])
      const rows = part.map((finding) => {
        const { fingerprint, entityType, entityId, severity, message, evidence, digest, firstSeenAt } = finding
        const about = [fingerprint, tenantId, check, entityType, entityId]
        return [...about, severity, message, evidence, digest, firstSeenAt, at, finding.reopened]
      })
      for (const some of inParts(rows, rowsAtOnce)) {
        if (some.length === rowsAtOnce) await putMany.run(tx, ...some.flat())
        else for (const row of some) await putOne.run(tx, ...row)
      }
      await yieldToEventLoop()
    }
    for (const part of inParts(resolved)) {
      for (const [resolution, some] of Map.groupBy(part, (one) => one.resolution)) {
        const fingerprints = some.map(({ fingerprint }) => fingerprint)
        await append(tx, tenantId, await resolvedEvents(tx, at, fingerprints, resolution))
        await resolve.run(tx, at, lastSeenAt, lastSeenAt, resolution, listOf(fingerprints))
      }
      await yieldToEventLoop()
    }
  }
}

function findingEvent(
  kind: FindingKind,
  at: number,
  { fingerprint, severity, message, evidence, firstSeenAt, reopened }: OpenRow,
  resolution: Resolution | null,
): NewEvent {
  const facts = { severity, message, evidence: fromJson(evidence) as object, firstSeenAt, reopened, resolution }
  return { kind, subject: fingerprint, at, data: facts satisfies FindingFacts }
}
