import { checkStatuses } from '../../model/check-status.ts'
import { unknownReasons } from '../../model/reasons.ts'
import { type ResourceName, resourceNames } from '../../model/resource-names.ts'
import type { ChainHead } from '../audit/verify-chain.ts'
import type { Database } from '../database.ts'
import { eventReader, type ResultFacts, recordSubject } from '../event-store.ts'
import { findingReader } from '../findings/finding-store.ts'
import type { CheckStateRow } from '../findings/result-store.ts'
import { recordShapes } from '../records/record-shape.ts'
import { fromJson, oneOf } from '../words.ts'
import { momentAt, type PastMoment } from './as-of.ts'
import { personalReader } from './changes.ts'
import { clockPeriods } from './clock.ts'
import {
  type NotedConfiguration,
  ofConfigurations,
  type StoredConfiguration,
  type TenantState,
  toConfiguration,
} from './configuration-log.ts'

export interface PastRun {
  readonly resource: ResourceName
  readonly endedAt: number
  readonly completeStartedAt: number | null
  readonly completeDurationMs: number | null
  readonly live: number | null
}

/** The first removal or return after that time decides; without one, the current state. */
function pastPresence(database: Database, asOf: PastMoment) {
  const next = database.prepareValues<[number, string], string>(
    `select kind from events e where tenant_id = ? and kind in ('record.removed', 'record.returned') and subject = ?
       and not (${asOf.events('e')}) order by id limit 1`,
  )
  return (tenantId: number, resource: ResourceName, id: string): Promise<boolean> =>
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

export type PastReader = ReturnType<typeof pastReader>

/** The history as of `at`: the last event of each thing written by then. @param isPresent `at` is now. */
function pastReader(database: Database, at: number, isPresent: boolean, asOf: PastMoment) {
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
    async configuration(): Promise<NotedConfiguration | null> {
      const row = await database.read((tx) => configuration.get(tx))
      return row === undefined ? null : { ...toConfiguration(row), at: asOf.clampToPeriod(row.at) }
    },
    /** `evaluatedAt` is the last confirmation of the check result by then. */
    async checkStates(tenantId: number): Promise<readonly CheckStateRow[]> {
      const rows = await database.read((tx) => states.all(tx, tenantId))
      return rows.map((row) => toState(row, isPresent ? null : at))
    },
    async tenantState(tenantId: number): Promise<string | null> {
      const data = await database.read((tx) => tenantState.get(tx, tenantId))
      return data === undefined ? null : JSON.stringify((fromJson(data) as TenantState).state)
    },
    async runs(tenantId: number): Promise<readonly PastRun[]> {
      const rows = await database.read((tx) => runs.all(tx, tenantId))
      return rows.map((run) => ({ ...run, resource: oneOf(resourceNames, run.resource) }))
    },
    findings: findingReader(database, asOf),
    isLive: pastPresence(database, asOf),
    personal: personalReader(database, asOf),
    events: eventReader(database, asOf),
    /** Last event of the tenant's chain by then. */
    chainHead: async (tenantId: number): Promise<ChainHead | null> =>
      (await database.read((tx) => head.get(tx, tenantId))) ?? null,
  }
}

/** Readers of the past; after the clock was set back, the past at the same time differs. */
export function pastStore(database: Database) {
  const periods = clockPeriods(database)
  return {
    past: async (at: number, isPresent: boolean): Promise<PastReader> =>
      pastReader(database, at, isPresent, momentAt(await database.read(periods), at, isPresent)),
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
    problem: null,
  }
}
