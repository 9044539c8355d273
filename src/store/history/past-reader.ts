import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { checkStatuses } from '../../model/check-status.ts'
import { unknownReasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'
import type { ChainHead } from '../audit/chain.ts'
import type { Database } from '../database.ts'
import type { List } from '../db/db.ts'
import type { CheckStateRow, FindingFilter, FindingRow, FindingStore, Lapse, LapseCount } from '../port.ts'
import { recordShapes } from '../records/record-shape.ts'
import { oneOf } from '../words.ts'
import { type StoredConfiguration, toConfiguration } from './configuration-reader.ts'
import { decisionReader } from './decision-reader.ts'
import type { PastReader, PastRun } from './evidence-port.ts'
import { pastPersonal } from './past-personal.ts'
import type { RecordAsOf } from './record-as-of.ts'

const batchSize = 250

interface StoredFinding extends Omit<FindingRow, 'severity' | 'evidence' | 'resolvedAt' | 'resolution'> {
  readonly id: number
  readonly severity: string
  readonly evidence: string
  readonly isOpen: number
}

function pastFindings(database: Database, asOf: RecordAsOf): FindingStore['findings'] {
  const { sql } = database
  const event = asOf.within('finding_events', 'x')
  async function* read({ tenantIds, all = false, check, fingerprints }: FindingFilter) {
    const among = (column: string, list: readonly unknown[] | undefined) =>
      list === undefined ? '' : `and ${sql.isIn(column)}`
    // Read in the order of ids: with another index, each batch would be read and sorted again.
    const select = database.prepare<unknown[], StoredFinding>(
      `select f.id, f.fingerprint, t.name as tenant, f."check", f.entity_type as "entityType", f.entity_id as "entityId",
         e.severity, e.message, e.evidence, e.at as "lastSeenAt",
         case when f.first_seen_at <= e.at then f.first_seen_at else coalesce((select max(x.at) from finding_events x
           where x.fingerprint = f.fingerprint and x.kind = 'opened' and ${event}), f.first_seen_at) end as "firstSeenAt",
         case when e.kind <> 'resolved' then 1 else 0 end as "isOpen",
         f.reopened - (select count(*) from finding_events x
           where x.fingerprint = f.fingerprint and x.kind = 'reopened' and not (${event})) as reopened
       from findings f cross join tenants t cross join finding_events e
       where t.id = f.tenant_id and e.id = (select max(x.id) from finding_events x
         where x.fingerprint = f.fingerprint and ${event}) and f.id > ? ${all ? '' : "and e.kind <> 'resolved'"} ${among('+f.tenant_id', tenantIds)}
         ${among('f.fingerprint', fingerprints)} ${check === undefined ? '' : `and f."check" || '' = ?`}
       order by f.id limit ${batchSize}`,
    )
    const lists = [tenantIds, fingerprints].flatMap((list) => (list === undefined ? [] : [sql.listOf(list)]))
    const bound = check === undefined ? lists : [...lists, check]
    for (let after = 0; ; ) {
      const rows = await database.read((tx) => select.all(tx, after, ...bound))
      if (rows.length === 0) return
      yield rows.map(toFinding)
      after = rows.at(-1)?.id ?? after
      await yieldToEventLoop()
    }
  }
  return (filter) => read(filter)
}

function toFinding({ id: _, isOpen, ...row }: StoredFinding): FindingRow {
  return {
    ...row,
    severity: oneOf(severities, row.severity),
    // Later reopenings may belong to another finding with the same fingerprint.
    reopened: Math.max(0, row.reopened),
    evidence: JSON.parse(row.evidence) as Record<string, unknown>,
    resolvedAt: isOpen === 1 ? null : row.lastSeenAt,
    resolution: null,
  }
}

/** The first removal or return after that time decides; without one, the current state. */
function pastPresence(database: Database, asOf: RecordAsOf): FindingStore['isLive'] {
  const next = database.prepareValues<[number, string, string], string>(
    `select kind from changes c where tenant_id = ? and resource = ? and key = ? and kind in ('removed', 'returned')
       and not (${asOf.within('changes', 'c')}) order by id limit 1`,
  )
  return (tenantId, resource, id) =>
    database.read(async (tx) => {
      const key = recordShapes[resource].keyOf(id)
      const kind = await next.get(tx, tenantId, resource, key)
      if (kind !== undefined) return kind === 'removed'
      const [row] = await tx<{ firstSeenAt: number; removedAt: number | null }>(
        `select first_seen_at as "firstSeenAt", removed_at as "removedAt" from records
         where tenant_id = ? and resource = ? and key = ?`,
        [tenantId, resource, key],
      )
      return row !== undefined && row.removedAt === null && asOf.includes(row.firstSeenAt)
    })
}

interface StoredState extends Omit<CheckStateRow, 'status' | 'reason' | 'open' | 'since'> {
  readonly at: number
  readonly status: string
  readonly reason: string | null
  readonly since: number | null
  readonly open: string
}

export interface PastMoment {
  readonly at: number
  readonly present: boolean
  readonly asOf: RecordAsOf
}

export function pastReader(database: Database, { at, present, asOf }: PastMoment): PastReader {
  const decisions = decisionReader(database)
  const head = database.prepare<[number], ChainHead>(
    `select sequence, at, hash from audit_chain where tenant_id = ? and ${asOf.within('audit_chain')}
     order by sequence desc limit 1`,
  )
  const configuration = database.prepare<[], StoredConfiguration>(
    `select id, at, digest, content from configurations where ${asOf.within('configurations')} order by id desc limit 1`,
  )
  const states = database.prepare<[number], StoredState>(
    `select c."check", c.at, c.status, c.reason, c.entities, c.not_evaluated as "notEvaluated", c.since, c.rule, c.open,
       coalesce(c.confirmed_at, s.evaluated_at, c.at) as "evaluatedAt",
       case when c.confirmed_at is null then s.valid_until else c.valid_until end as "validUntil"
     from check_status_changes c left join check_states s on s.tenant_id = c.tenant_id and s."check" = c."check"
     where c.id in (select max(id) from check_status_changes
       where tenant_id = ? and ${asOf.within('check_status_changes')} group by "check") order by c."check"`,
  )
  const tenantState = database.prepareValues<[number], string>(
    `select state from tenant_states where tenant_id = ? and ${asOf.within('tenant_states')} order by id desc limit 1`,
  )
  const runs = database.prepare<[number], PastRun>(
    `select resource, ended_at as "endedAt", complete_started_at as "completeStartedAt",
       complete_duration_ms as "completeDurationMs", live
     from runs where id in (select max(id) from runs where tenant_id = ? and ${asOf.within('runs')} group by resource)`,
  )
  return {
    at,
    setBackFrom: asOf.setBackFrom,
    clampToPeriod: asOf.clampToPeriod,
    async configuration() {
      const row = await database.read((tx) => configuration.get(tx))
      return row === undefined ? null : { ...toConfiguration(row), at: asOf.clampToPeriod(row.at) }
    },
    async checkStates(tenantId) {
      const rows = await database.read((tx) => states.all(tx, tenantId))
      return rows.map((row) => toState(row, present ? row.evaluatedAt : at))
    },
    tenantState: async (tenantId) => (await database.read((tx) => tenantState.get(tx, tenantId))) ?? null,
    async runs(tenantId) {
      const rows = await database.read((tx) => runs.all(tx, tenantId))
      return rows.map((run) => ({ ...run, resource: oneOf(resourceNames, run.resource) }))
    },
    findings: pastFindings(database, asOf),
    ...pastLapses(database, asOf),
    isLive: pastPresence(database, asOf),
    personal: pastPersonal(database, asOf),
    async decisions(tenantId) {
      const known = (await decisions(tenantId)).filter(({ at: decidedAt }) => asOf.includes(decidedAt))
      return known.map((one) =>
        one.accepted === 'hold' && one.appliedAt !== null && !asOf.includes(one.appliedAt)
          ? { ...one, appliedAt: null }
          : one,
      )
    },
    chainHead: async (tenantId) => (await database.read((tx) => head.get(tx, tenantId))) ?? null,
  }
}

/** A result confirmed later counts as confirmed at `at`. */
function toState({ at: changedAt, ...row }: StoredState, at: number): CheckStateRow {
  return {
    ...row,
    status: oneOf(checkStatuses, row.status),
    reason: row.reason === null ? null : oneOf(unknownReasons, row.reason),
    since: row.since ?? changedAt,
    evaluatedAt: Math.min(row.evaluatedAt, at),
    open: JSON.parse(row.open) as CheckStateRow['open'],
  }
}

type PastLapses = Pick<PastReader, 'lapses' | 'lapseCounts' | 'lapsedUnderAll'>

function pastLapses(database: Database, asOf: RecordAsOf): PastLapses {
  const { sql } = database
  const lapsed = `from waiver_changes c join findings f on f.fingerprint = c.fingerprint
    join finding_events e on e.id = (select max(x.id) from finding_events x
      where x.fingerprint = c.fingerprint and ${asOf.within('finding_events', 'x')})
    where c.fingerprint is not null and e.kind <> 'resolved' and ${asOf.within('waiver_changes', 'c')}
      and not exists (select 1 from waiver_changes n where n.tenant_id = c.tenant_id and n.waiver = c.waiver
        and n.fingerprint is null and n.id > c.id and ${asOf.within('waiver_changes', 'n')})`
  const ofCheck = 'c.tenant_id = ? and c."check" = ?'
  const ofFindings = database.prepare<[List], Lapse>(
    `select c.fingerprint, c.waiver, c.terms, c.at as "lapsedAt", c.accepted, c.changed ${lapsed}
       and ${sql.isIn('c.fingerprint')} order by c.id`,
  )
  const counts = database.prepare<[number, string], LapseCount>(
    `select c.waiver, c.terms, e.severity, count(distinct c.fingerprint) as count ${lapsed} and ${ofCheck}
     group by c.waiver, c.terms, e.severity`,
  )
  const underAll = (waivers: number) =>
    database.prepare<unknown[], Pick<LapseCount, 'severity' | 'count'>>(
      `select severity, count(*) as count from (
         select max(e.severity) as severity ${lapsed} and ${ofCheck}
           and (c.waiver, c.terms) in (values ${sql.rowsOf(waivers, 2)})
         group by c.fingerprint having count(distinct c.waiver) = ?) lapsed
       group by severity`,
    )
  return {
    lapses: (fingerprints) => database.read((tx) => ofFindings.all(tx, sql.listOf(fingerprints))),
    lapseCounts: (tenantId, check) => database.read((tx) => counts.all(tx, tenantId, check)),
    lapsedUnderAll(tenantId, check, waivers) {
      const terms = waivers.flatMap((waiver) => [waiver.waiver, waiver.terms])
      return database.read((tx) => underAll(waivers.length).all(tx, tenantId, check, ...terms, waivers.length))
    },
  }
}
