import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Resolution } from '../../model/check-status.ts'
import { inParts } from '../../model/in-turns.ts'
import type { Dialect, Sql } from '../db/db.ts'
import { appendEvents, lastEventOf, type NewEvent } from '../event-store.ts'
import { type FindingFacts, type FindingKind, openedKinds } from '../events.ts'
import { fromJson, insertRows } from '../rows.ts'
import { findings } from '../schema/index.ts'
import type { FindingRow, OpenFindingDigest, StoredFinding } from './finding-store.ts'

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

const changing = ['severity', 'message', 'evidence', 'digest', 'first_seen_at', 'last_seen_at', 'reopened']
const openAgain = `on conflict (fingerprint) do update set resolved_at = null, resolution = null,
  ${changing.map((name) => `${name} = excluded.${name}`).join(', ')}`

const openText = (dialect: Dialect) => `select fingerprint, severity, message, evidence,
    first_seen_at as "firstSeenAt", reopened, (select at from events o where o.id = ${lastEventOf(openedKinds, 'f.tenant_id', 'f.fingerprint')}) as "openedAt"
  from findings f where ${dialect.isIn('fingerprint')} and resolved_at is null order by id`

const resolveText = ({ isIn }: Dialect) => `update findings set
    resolved_at = (select last_at from event_chains where tenant_id = @tenantId),
    last_seen_at = case when last_seen_at > @lastSeenAt then last_seen_at else @lastSeenAt end, resolution = @resolution
  where ${isIn('fingerprint', '@fingerprints')}`

/** Writes the changed findings of a check result, with their events. Run inside its transaction. */
export async function writeFindings(
  sql: Sql,
  tenantId: number,
  { check, written, resolved, at, lastSeenAt }: FindingWriting,
): Promise<void> {
  for (const part of inParts(written)) {
    const replaced = part.filter(({ replacesOpen }) => replacesOpen).map(({ fingerprint }) => fingerprint)
    const events = part.map((finding) =>
      findingEvent(`finding.${finding.kind === 'replaced' ? 'opened' : finding.kind}`, at, finding, null),
    )
    await appendEvents(sql, tenantId, [...(await resolvedEvents(sql, at, replaced, 'entity_removed')), ...events])
    const rows = part.map((finding) => ({ ...finding, tenantId, check, lastSeenAt: Math.round(at) }))
    await insertRows(sql, findings, rows, openAgain)
    await yieldToEventLoop()
  }
  for (const part of inParts(resolved)) {
    for (const [resolution, some] of Map.groupBy(part, (one) => one.resolution)) {
      const fingerprints = some.map(({ fingerprint }) => fingerprint)
      await appendEvents(sql, tenantId, await resolvedEvents(sql, at, fingerprints, resolution))
      await sql(resolveText(sql.dialect), [{ tenantId, lastSeenAt, resolution, fingerprints }])
    }
    await yieldToEventLoop()
  }
}

async function resolvedEvents(sql: Sql, at: number, fingerprints: readonly string[], resolution: Resolution) {
  if (fingerprints.length === 0) return []
  const rows = await sql<OpenRow>(openText(sql.dialect), [fingerprints])
  return rows.map((row) => findingEvent('finding.resolved', at, row, resolution))
}

function findingEvent(
  kind: FindingKind,
  at: number,
  { fingerprint, severity, message, evidence, firstSeenAt, reopened, openedAt }: OpenRow,
  resolution: Resolution | null,
): NewEvent {
  const facts = {
    severity,
    message,
    evidence: fromJson(evidence) as FindingFacts['evidence'],
    firstSeenAt,
    reopened,
    resolution,
    openedAt,
  }
  return { kind, subject: fingerprint, at, data: facts satisfies FindingFacts }
}
