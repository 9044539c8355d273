import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Severity } from '../../model/severity.ts'
import type { Db, Dialect } from '../db/db.ts'
import { type AsOf, lastEventOf, present } from '../event-store.ts'
import { type FindingFacts, findingKinds, listOfKinds } from '../events.ts'
import { fromJson, type RowOf, severityRank } from '../rows.ts'
import type { findings } from '../schema/index.ts'
import { type Lapse, lapsedFingerprints, readLapses } from './waiver-store.ts'

/** Size of the first batch, which is all that most outputs read. */
const firstBatch = 50
const laterBatch = 500
const digestsAtOnce = 2000

/** Times are milliseconds since the epoch. */
export type FindingRow = Omit<RowOf<typeof findings>, 'digest' | 'evidence' | 'id' | 'tenantId'> & {
  readonly tenant: string
  readonly evidence: Readonly<Record<string, unknown>>
  /** Waivers that no longer cover it, because accepted facts changed. */
  readonly lapses: readonly Lapse[]
}

/** An open finding without its texts. */
export interface OpenFindingDigest extends Pick<FindingRow, 'fingerprint' | 'entityType' | 'entityId' | 'severity'> {
  /** Of severity, message and facts; equal = nothing to write. */
  readonly digest: string
}

export interface StoredFinding extends Pick<FindingRow, 'fingerprint' | 'firstSeenAt' | 'resolvedAt' | 'reopened'> {
  /** Id of the event of its resolution; null while it is open. */
  readonly resolvedBy: number | null
  /** JSON. */
  readonly evidence: string
}

/** An absent field does not restrict. */
export interface FindingFilter {
  readonly tenantIds?: readonly number[]
  /** Absent = open ones only. */
  readonly all?: boolean
  readonly check?: string | undefined
  readonly severities?: readonly Severity[] | undefined
  readonly fingerprints?: readonly string[]
  /** Only findings for which a waiver has lapsed. */
  readonly lapsed?: boolean
  /** Only findings that were opened, changed, reopened or resolved then or later. */
  readonly since?: number | undefined
  /**
   * `severity`: the highest first, then by tenant, check and first opening, of present findings only and neither
   * `descending` nor `after`; absent = as they were first opened.
   */
  readonly order?: 'severity'
  readonly descending?: boolean
  /** Fingerprint; only findings after it, none if it is unknown. */
  readonly after?: string | undefined
}

type Stored = Omit<FindingRow, 'lapses'> & Pick<RowOf<typeof findings>, 'id' | 'tenantId'>

const identity = `f.id, f.fingerprint, f.tenant_id as "tenantId", t.name as tenant, f."check", f.entity_type as "entityType",
  f.entity_id as "entityId"`

const presentRows = `select ${identity}, f.severity, f.message, f.evidence, f.first_seen_at as "firstSeenAt",
    f.last_seen_at as "lastSeenAt", f.resolved_at as "resolvedAt", f.resolution, f.reopened
  from findings f cross join tenants t where t.id = f.tenant_id`

/** The last event of each finding by then has its state. */
const pastRows = (
  asOf: AsOf,
) => `select ${identity}, e.at, e.data from findings f cross join tenants t cross join events e
  where t.id = f.tenant_id and e.data is not null
    and e.id = ${lastEventOf(findingKinds, 'f.tenant_id', 'f.fingerprint', asOf.events('x'))}`

type PastRow = Pick<Stored, 'id' | 'fingerprint' | 'tenantId' | 'tenant' | 'check' | 'entityType' | 'entityId'> & {
  readonly at: number
  readonly data: string
}

function pastFinding({ at, data, ...row }: PastRow): Stored {
  const { openedAt: _, ...facts } = fromJson(data) as FindingFacts
  return { ...row, ...facts, lastSeenAt: at, resolvedAt: facts.resolution === null ? null : at }
}

type PresentRow = Omit<Stored, 'evidence'> & { readonly evidence: string }

function presentFinding({ evidence, ...row }: PresentRow): Stored {
  return { ...row, evidence: fromJson(evidence) as Stored['evidence'] }
}

/** Reads findings in batches: the present ones, or those of a past moment. */
export function findingReader(db: Db, past: AsOf | null = null) {
  const { dialect } = db
  const asOf = past ?? present

  async function idOf(fingerprint: string): Promise<number | undefined> {
    const text = 'select id from findings where fingerprint = ?'
    return (await db.read((tx) => tx<number>(text, [fingerprint], 'values')))[0]
  }

  /** `rest`: which of the rows, and how many. */
  async function read({ severities: wanted }: FindingFilter, rest: string, values: readonly unknown[]) {
    return await db.read(async (tx) => {
      const rows =
        past === null
          ? (await tx<PresentRow>(`${presentRows} ${rest}`, values)).map(presentFinding)
          : (await tx<PastRow>(`${pastRows(past)} ${rest}`, values)).map(pastFinding)
      const shown = rows.filter(({ severity }) => wanted?.some((one) => one === severity) !== false)
      const lapses = await readLapses(tx, asOf, shown)
      const found = shown.map(({ id, tenantId: _, ...row }) => {
        return { id, finding: { ...row, lapses: lapses.get(row.fingerprint) ?? [] } }
      })
      return { count: rows.length, last: rows.at(-1)?.id ?? null, found }
    })
  }

  /** One statement decides on the list: a severity that changes meanwhile neither hides nor repeats a finding. */
  async function* readBySeverity(filter: FindingFilter): AsyncGenerator<readonly FindingRow[]> {
    const conditions = conditionsOf(filter, dialect, { asOf, isPast: false })
    const text = `select f.id from findings f where true ${conditions.text}
      order by ${severityRank}, f.tenant_id, f."check", f.id`
    const ids = await db.read((tx) => tx<number>(text, conditions.values, 'values'))
    for (let at = 0, most = firstBatch; at < ids.length; at += most, most = laterBatch) {
      const some = ids.slice(at, at + most)
      const { found } = await read(filter, `and ${dialect.isIn('f.id')}`, [some])
      const findings = new Map(found.map(({ id, finding }) => [id, finding]))
      yield some.flatMap((id) => findings.get(id) ?? [])
      await yieldToEventLoop()
    }
  }

  return async function* findings(filter: FindingFilter): AsyncGenerator<readonly FindingRow[]> {
    const { after, order, descending = false } = filter
    if (order === 'severity') return yield* readBySeverity(filter)
    const [direction, sign] = descending ? ['desc', '<'] : ['asc', '>']
    const conditions = conditionsOf(filter, dialect, { asOf, isPast: past !== null })
    const start = after === undefined ? null : await idOf(after)
    if (start === undefined) return
    let last: number | null = start
    for (let most = firstBatch; ; most = laterBatch) {
      const rest: string = `${conditions.text} ${last === null ? '' : `and f.id ${sign} ?`} order by f.id ${direction} limit ${most}`
      const batch = await read(filter, rest, last === null ? conditions.values : [...conditions.values, last])
      if (batch.found.length > 0) yield batch.found.map(({ finding }) => finding)
      if (batch.count < most) return
      last = batch.last
      await yieldToEventLoop()
    }
  }
}

/**
 * Expressions use no index: few findings are found by their fingerprints, and those of several tenants are read in the
 * order of ids, because otherwise each batch would sort all of them.
 */
function conditionsOf(filter: FindingFilter, dialect: Dialect, { asOf, isPast }: { asOf: AsOf; isPast: boolean }) {
  const { tenantIds, all = false, check, severities: wanted, fingerprints, lapsed = false, since } = filter
  const parts: string[] = []
  const values: unknown[] = []
  const add = (condition: string, ...bound: readonly unknown[]) => {
    parts.push(`and ${condition}`)
    values.push(...bound)
  }
  const isFew = lapsed || fingerprints !== undefined
  if (tenantIds?.length === 1 && !isFew) add('f.tenant_id = ?', tenantIds[0])
  else if (tenantIds !== undefined) add(dialect.isIn('+f.tenant_id'), tenantIds)
  if (check !== undefined) add(isFew ? `f."check" || '' = ?` : 'f."check" = ?', check)
  if (wanted?.length === 1 && !isPast) add('f.severity = ?', wanted[0])
  else if (wanted !== undefined && !isPast) add(dialect.isIn('f.severity'), wanted)
  if (fingerprints !== undefined) add(dialect.isIn('f.fingerprint'), fingerprints)
  if (lapsed) add(`f.fingerprint in (${lapsedFingerprints(dialect.isIn('l.tenant_id'), asOf)})`, tenantIds ?? [])
  if (!all) add(isPast ? `e.kind <> 'finding.resolved'` : 'f.resolved_at is null')
  if (since !== undefined)
    add(
      `exists (select 1 from events s where s.tenant_id = f.tenant_id and s.kind in (${listOfKinds(findingKinds)})
         and s.subject = f.fingerprint and s.at >= ?)`,
      since,
    )
  return { text: parts.join(' '), values }
}

type DigestRow = OpenFindingDigest & { readonly id: number }

const digestsText = `select id, fingerprint, entity_type as "entityType", entity_id as "entityId", severity, digest from findings
  where tenant_id = ? and "check" = ? and resolved_at is null and id > ? order by id limit ${digestsAtOnce}`

export function findingStore(db: Db) {
  const { isIn } = db.dialect
  return {
    findings: findingReader(db),
    /** What an evaluation compares its results with. */
    async *openDigests(tenantId: number, check: string): AsyncGenerator<readonly OpenFindingDigest[]> {
      for (let after = 0; ; ) {
        const reached = after
        const rows = await db.read((tx) => tx<DigestRow>(digestsText, [tenantId, check, reached]))
        if (rows.length > 0) yield rows.map(({ id: _, ...row }) => row)
        if (rows.length < digestsAtOnce) return
        after = rows.at(-1)?.id ?? 0
        await yieldToEventLoop()
      }
    },
    /** Open or resolved. */
    storedFindings: (fingerprints: readonly string[]): Promise<readonly StoredFinding[]> =>
      db.read((tx) => {
        const resolution = lastEventOf(['finding.resolved'], 'f.tenant_id', 'f.fingerprint')
        const text = `select fingerprint, evidence, first_seen_at as "firstSeenAt", resolved_at as "resolvedAt", reopened,
            case when resolved_at is not null then ${resolution} end as "resolvedBy"
          from findings f where ${isIn('fingerprint')}`
        return tx<StoredFinding>(text, [fingerprints])
      }),
    fingerprintsFrom: (prefix: string, most: number): Promise<readonly string[]> =>
      db.read((tx) => {
        const text =
          'select fingerprint from findings where fingerprint >= ? and fingerprint < ? order by fingerprint limit ?'
        return tx<string>(text, [prefix, `${prefix}\u{10ffff}`, most], 'values')
      }),
  }
}
