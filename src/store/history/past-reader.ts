import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { checkStatuses } from '../../model/check-status.ts'
import { unknownReasons } from '../../model/reasons.ts'
import { resourceNames } from '../../model/resource-names.ts'
import { severities } from '../../model/severity.ts'
import type { Database } from '../database.ts'
import {
  type FindingFacts,
  findingKinds,
  listOfKinds,
  type ResultFacts,
  recordSubject,
  termsKinds,
  type WaiverLapseFacts,
} from '../event-store.ts'
import type { ChainHead, CheckStateRow, FindingFilter, FindingRow, FindingStore, Lapse, LapseCount } from '../port.ts'
import { recordShapes } from '../records/record-shape.ts'
import { fromJson, oneOf } from '../words.ts'
import type { AsOf } from './as-of.ts'
import { ofConfigurations, type StoredConfiguration, toConfiguration } from './configuration-log.ts'
import { decisionReader } from './decision-log.ts'
import type { PastReader, PastRun } from './evidence-port.ts'
import { pastPersonal } from './past-personal.ts'
import type { TenantState } from './tenant-states.ts'

const batchSize = 250

const ofFindings = `kind in (${listOfKinds(findingKinds)})`

/** Id of the last event of a finding by then. */
const lastEvent = (asOf: AsOf) => `(select max(x.id) from events x
  where x.tenant_id = f.tenant_id and x.${ofFindings} and x.subject = f.fingerprint and ${asOf.events('x')})`

interface StoredFinding
  extends Pick<
    FindingRow,
    'fingerprint' | 'tenant' | 'check' | 'entityType' | 'entityId' | 'firstSeenAt' | 'lastSeenAt' | 'reopened'
  > {
  readonly id: number
  readonly data: string
  readonly isOpen: number
}

function pastFindings(database: Database, asOf: AsOf): FindingStore['findings'] {
  const { sql } = database
  const eventOf = (kind: string) => `from events x
    where x.tenant_id = f.tenant_id and x.kind = 'finding.${kind}' and x.subject = f.fingerprint`
  async function* read({ tenantIds, all = false, check, fingerprints }: FindingFilter) {
    const among = (column: string, list: readonly unknown[] | undefined) =>
      list === undefined ? '' : `and ${sql.isIn(column)}`
    // Read in the order of ids: with another index, each batch would be read and sorted again.
    const select = database.prepare<unknown[], StoredFinding>(
      `select f.id, f.fingerprint, t.name as tenant, f."check", f.entity_type as "entityType", f.entity_id as "entityId",
         e.data, e.at as "lastSeenAt",
         case when f.first_seen_at <= e.at then f.first_seen_at
           else coalesce((select max(x.at) ${eventOf('opened')} and ${asOf.events('x')}), f.first_seen_at) end as "firstSeenAt",
         case when e.kind <> 'finding.resolved' then 1 else 0 end as "isOpen",
         f.reopened - (select count(*) ${eventOf('reopened')} and not (${asOf.events('x')})) as reopened
       from findings f cross join tenants t cross join events e
       where t.id = f.tenant_id and e.id = ${lastEvent(asOf)} and e.data is not null and f.id > ?
         ${all ? '' : "and e.kind <> 'finding.resolved'"} ${among('+f.tenant_id', tenantIds)}
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

function toFinding({ id: _, isOpen, data, ...row }: StoredFinding): FindingRow {
  const { severity, message, evidence } = fromJson(data) as FindingFacts
  return {
    ...row,
    severity: oneOf(severities, severity),
    message,
    evidence: evidence as FindingRow['evidence'],
    // Later reopenings may belong to another finding with the same fingerprint.
    reopened: Math.max(0, row.reopened),
    resolvedAt: isOpen === 1 ? null : row.lastSeenAt,
    resolution: null,
  }
}

/** The first removal or return after that time decides; without one, the current state. */
function pastPresence(database: Database, asOf: AsOf): FindingStore['isLive'] {
  const next = database.prepareValues<[number, string], string>(
    `select kind from events e where tenant_id = ? and kind in ('record.removed', 'record.returned') and subject = ?
       and not (${asOf.events('e')}) order by id limit 1`,
  )
  return (tenantId, resource, id) =>
    database.read(async (tx) => {
      const key = recordShapes[resource].keyOf(id)
      const kind = await next.get(tx, tenantId, recordSubject(resource, key))
      if (kind !== undefined) return kind === 'record.removed'
      const [row] = await tx<{ firstSeenAt: number; removedAt: number | null }>(
        `select first_seen_at as "firstSeenAt", removed_at as "removedAt" from records
         where tenant_id = ? and resource = ? and key = ?`,
        [tenantId, resource, key],
      )
      return row !== undefined && row.removedAt === null && asOf.includes(row.firstSeenAt)
    })
}

interface StoredState {
  readonly check: string
  readonly at: number
  readonly data: string
  /** Of the next result, which has the end of this one. */
  readonly next: string | null
  readonly evaluatedAt: number | null
  readonly validUntil: number | null
}

export interface PastMoment {
  readonly at: number
  readonly present: boolean
  readonly asOf: AsOf
}

export function pastReader(database: Database, { at, present, asOf }: PastMoment): PastReader {
  const decisions = decisionReader(database, asOf)
  const head = database.prepare<[number], ChainHead>(
    `select id, at, hash from events e where tenant_id = ? and ${asOf.events('e')} order by id desc limit 1`,
  )
  const configuration = database.prepare<[], StoredConfiguration>(
    `select id, at, data from events e where ${ofConfigurations} and ${asOf.events('e')} order by id desc limit 1`,
  )
  const states = database.prepare<[number], StoredState>(
    `select c.subject as "check", c.at, c.data, n.data as next, s.evaluated_at as "evaluatedAt", s.valid_until as "validUntil"
     from events c left join check_states s on s.tenant_id = c.tenant_id and s."check" = c.subject
       left join events n on n.id = (select min(x.id) from events x
         where x.tenant_id = c.tenant_id and x.kind = 'result' and x.subject = c.subject and x.id > c.id)
     where c.data is not null and c.id in (select max(e.id) from events e
       where e.tenant_id = ? and e.kind = 'result' and ${asOf.events('e')} group by e.subject) order by c.subject`,
  )
  const tenantState = database.prepareValues<[number], string>(
    `select data from events e where tenant_id = ? and kind = 'tenant.state' and subject = '' and data is not null and ${asOf.events('e')}
     order by id desc limit 1`,
  )
  const runs = database.prepare<[number], PastRun>(
    `select resource, ended_at as "endedAt", complete_started_at as "completeStartedAt",
       complete_duration_ms as "completeDurationMs", live
     from runs where id in (select max(id) from runs where tenant_id = ? and ${asOf.runs} group by resource)`,
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
      return rows.map((row) => toState(row, present ? null : at))
    },
    async tenantState(tenantId) {
      const data = await database.read((tx) => tenantState.get(tx, tenantId))
      return data === undefined ? null : JSON.stringify((fromJson(data) as TenantState).state)
    },
    async runs(tenantId) {
      const rows = await database.read((tx) => runs.all(tx, tenantId))
      return rows.map((run) => ({ ...run, resource: oneOf(resourceNames, run.resource) }))
    },
    findings: pastFindings(database, asOf),
    ...pastLapses(database, asOf),
    isLive: pastPresence(database, asOf),
    personal: pastPersonal(database, asOf),
    decisions,
    chainHead: async (tenantId) => (await database.read((tx) => head.get(tx, tenantId))) ?? null,
  }
}

/** @param at a result confirmed later counts as confirmed then; null = no limit. */
function toState({ check, at: changedAt, data, next, ...present }: StoredState, at: number | null): CheckStateRow {
  const { status, reason, entities, notEvaluated, since, rule, open } = fromJson(data) as ResultFacts
  const { previous = null } = next === null ? {} : (fromJson(next) as ResultFacts)
  const evaluatedAt = previous?.confirmedAt ?? (next === null ? present.evaluatedAt : null) ?? changedAt
  return {
    ...{ check, entities, notEvaluated, since, rule },
    status: oneOf(checkStatuses, status),
    reason: reason === null ? null : oneOf(unknownReasons, reason),
    evaluatedAt: at === null ? evaluatedAt : Math.min(evaluatedAt, at),
    validUntil: next === null ? present.validUntil : (previous?.validUntil ?? null),
    open: open as CheckStateRow['open'],
  }
}

interface StoredLapse {
  readonly fingerprint: string
  readonly at: number
  readonly data: string
  /** Data of the last event of the finding. */
  readonly finding: string
}

interface PastLapse extends Lapse {
  readonly severity: LapseCount['severity']
}

function pastLapses(database: Database, asOf: AsOf): Pick<PastReader, 'lapses' | 'lapseCounts' | 'lapsedUnderAll'> {
  const { sql } = database
  const lapsed = (condition: string) =>
    database.prepare<readonly unknown[], StoredLapse>(
      `select c.subject as fingerprint, c.at, c.data, e.data as finding
       from findings f join events c on c.tenant_id = f.tenant_id and c.kind = 'waiver.lapsed' and c.subject = f.fingerprint
         join events e on e.id = ${lastEvent(asOf)}
       where ${condition} and c.data is not null and ${asOf.events('c')} and e.kind <> 'finding.resolved' and e.data is not null
         and not exists (select 1 from events n where n.tenant_id = c.tenant_id and n.kind in (${listOfKinds(termsKinds)})
           and n.subject = ${sql.jsonMember('c.data', 'waiver', 'text')} and n.id > c.id and ${asOf.events('n')}) order by +c.id`,
    )
  const ofFindings = lapsed(sql.isIn('f.fingerprint'))
  const ofCheck = lapsed('f.tenant_id = ? and f."check" = ?')
  const inCheck = async (tenantId: number, check: string) =>
    (await database.read((tx) => ofCheck.all(tx, tenantId, check))).map(toLapse)
  return {
    async lapses(fingerprints) {
      const rows = await database.read((tx) => ofFindings.all(tx, sql.listOf(fingerprints)))
      return rows.map((row) => {
        const { severity: _, ...lapse } = toLapse(row)
        return lapse
      })
    },
    async lapseCounts(tenantId, check) {
      const groups = Map.groupBy(await inCheck(tenantId, check), ({ waiver, terms, severity }) =>
        JSON.stringify([waiver, terms, severity]),
      )
      return [...groups.values()].flatMap(([first, ...others]) => {
        if (first === undefined) return []
        const { waiver, terms, severity } = first
        const count = new Set([first, ...others].map((one) => one.fingerprint)).size
        return [{ waiver, terms, severity, count }]
      })
    },
    async lapsedUnderAll(tenantId, check, waivers) {
      const wanted = new Set(waivers.map(({ waiver, terms }) => JSON.stringify([waiver, terms])))
      const lapses = (await inCheck(tenantId, check)).filter(({ waiver, terms }) =>
        wanted.has(JSON.stringify([waiver, terms])),
      )
      const ofFinding = [...Map.groupBy(lapses, (lapse) => lapse.fingerprint).values()]
      const all = ofFinding.filter((group) => new Set(group.map(({ waiver }) => waiver)).size === waivers.length)
      const counts = Map.groupBy(all, ([first]) => first?.severity ?? 'info')
      return [...counts].map(([severity, group]) => ({ severity, count: group.length }))
    },
  }
}

function toLapse({ fingerprint, at, data, finding }: StoredLapse): PastLapse {
  const { waiver, terms, accepted, changed } = fromJson(data) as WaiverLapseFacts
  const { severity } = fromJson(finding) as FindingFacts
  return { fingerprint, waiver, terms, lapsedAt: at, accepted, changed, severity: oneOf(severities, severity) }
}
