import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Severity } from '../../model/severity.ts'
import type { OpenFinding, OpenFindingStore, WaiverTerms } from '../port.ts'
import type { Database, Operations } from '../sqlite/database.ts'

/** Outputs show the first batch; only searches read later ones. */
const firstBatch = 10
const laterBatch = 500

interface Stored extends OpenFinding {
  readonly firstSeenAt: number
}

interface Place {
  readonly tenantId: number
  readonly check: string
  readonly severity: string
  readonly at: number
  readonly after: string
  readonly most: number
}

const columns = `f.fingerprint, f.entity_type as entityType, f.entity_id as entityId, f.severity,
  f.first_seen_at as firstSeenAt`
const ofCheck = 'f.tenant_id = @tenantId and f."check" = @check and f.severity = @severity and f.resolved_at is null'
const next = `(f.first_seen_at, f.fingerprint) > (@at, @after) order by f.first_seen_at, f.fingerprint limit @most`

/** Searches in the index `findings_open` alone. */
export const openReading = `select ${columns} from findings f indexed by findings_open where ${ofCheck} and ${next}`

/** Starts from the few lapsed rows, not from the many findings that a waiver for all covers. */
export const lapsedReading = `select ${columns} from waived_findings w cross join findings f on f.fingerprint = w.fingerprint
  where w.tenant_id = @tenantId and w."check" = @check and w.waiver = @waiver and w.terms = @terms
    and w.open_severity = @severity and w.lapsed_at is not null and ${ofCheck} and ${next}`

/** In display order. Does not wait for a large check result that is being written: scrapes must not be delayed. */
export function openFindings(database: Database): Operations<Pick<OpenFindingStore, 'openFindings'>> {
  const { raw } = database
  const all = raw.prepare<[Place], Stored>(openReading)
  const lapsed = raw.prepare<[Place & { readonly waiver: string; readonly terms: string }], Stored>(lapsedReading)
  async function* read(tenantId: number, check: string, severity: Severity, lapsedUnder?: WaiverTerms) {
    let last = { at: Number.MIN_SAFE_INTEGER, after: '' }
    for (let most = firstBatch; ; most = laterBatch) {
      const place = { tenantId, check, severity, ...last, most }
      const rows = lapsedUnder === undefined ? all.all(place) : lapsed.all({ ...place, ...lapsedUnder })
      const end = rows.at(-1)
      if (end === undefined) return
      yield rows.map(({ firstSeenAt: _, ...finding }) => finding)
      if (rows.length < most) return
      last = { at: end.firstSeenAt, after: end.fingerprint }
      await yieldToEventLoop()
    }
  }

  return {
    openFindings: (...of) => database.each(read(...of)),
  }
}
