import type { ResourceName } from '../../model/resource-names.ts'
import type { ChainHead } from '../audit/verify-chain.ts'
import type { Db } from '../db/db.ts'
import { eventReader, lastEvent, lastEventOf, present, recordSubject } from '../event-store.ts'
import { type FindingKind, listOfKinds, openedKinds, type ResultFacts, sharedChain } from '../events.ts'
import { findingReader } from '../findings/finding-store.ts'
import type { CheckStateRow } from '../findings/result-store.ts'
import { isLive } from '../records/record-reader.ts'
import { recordShapes } from '../records/record-shape.ts'
import { fromJson, type RowOf } from '../rows.ts'
import type { runs } from '../schema/index.ts'
import { personalReader } from './changes.ts'
import { latestTime, momentAt, unconfirmedTime } from './clock.ts'
import { type NotedConfiguration, type TenantState, toConfiguration } from './configuration-log.ts'

export type PastRun = Pick<RowOf<typeof runs>, 'completeDurationMs' | 'completeStartedAt' | 'live' | 'resource'>

interface StoredState {
  readonly check: string
  readonly at: number
  readonly data: string
  /** Of the next result, which has the end of this one. */
  readonly next: string | null
  readonly evaluatedAt: number | null
  readonly validUntil: number | null
  readonly tenantId: number
}

/** A complete full sync; times are in milliseconds since the epoch. */
export interface FullSyncTimes {
  readonly resource: string
  readonly startedAt: number
  readonly endedAt: number
  readonly durationMs: number | null
}

/** Findings that were opened, reopened or resolved at one time. */
export interface FindingTimes {
  readonly kind: Exclude<FindingKind, 'finding.changed'>
  readonly at: number
  /** Null unless it was asked for. */
  readonly severity: string | null
  /** Of resolved ones, as is when they were last opened or reopened. */
  readonly resolution: string | null
  readonly openedAt: number | null
  readonly count: number
}

export type PastReader = Awaited<ReturnType<ReturnType<typeof pastStore>['past']>>

export function pastStore(db: Db) {
  const { dialect } = db
  return {
    /** The history as of `at`: the last event of each thing written by then. @param isPresent `at` is now. */
    async past(at: number, isPresent: boolean) {
      const moment = await db.read((tx) => momentAt(tx, at))
      const asOf = isPresent ? { ...present, clamp: moment.clamp } : moment
      const headText = `select id, at, hash from events e where tenant_id = ? and ${asOf.events('e')} order by id desc limit 1`
      const statesText = `select e.tenant_id as "tenantId", e.subject as "check", e.at, e.data, n.data as next, s.evaluated_at as "evaluatedAt", case when s.status <> 'unknown' then s.changes_at - 1 end as "validUntil"
        from events e left join check_states s on s.tenant_id = e.tenant_id and s."check" = e.subject
          left join events n on n.id = (select min(x.id) from events x
            where x.tenant_id = e.tenant_id and x.kind = 'result' and x.subject = e.subject and x.id > e.id)
        where e.tenant_id = ? and e.kind = 'result' and e.data is not null
          and e.id = ${lastEventOf(['result'], 'e.tenant_id', 'e.subject', asOf.events('x'))} order by e.subject`
      const runsText = `select resource, complete_started_at as "completeStartedAt",
          complete_duration_ms as "completeDurationMs", live
        from runs where id in (select max(id) from runs where tenant_id = ? and ${asOf.runs} group by resource)`
      const configurations = `from events e where tenant_id = ${sharedChain} and kind = 'configuration' and data is not null`
      const configurationsText = `select at, data ${configurations} and ${asOf.events('e')}
        and id >= coalesce((select max(id) ${configurations} and at <= ?), 0) order by id`
      const fullSyncsText = `select resource, complete_started_at as "startedAt", min(ended_at) as "endedAt",
          max(complete_duration_ms) as "durationMs" from runs
        where tenant_id = ? and ended_at >= ? and complete_started_at is not null and ${asOf.runs}
        group by resource, complete_started_at order by min(id)`
      const ofResolved = (name: string) =>
        `case when kind = 'finding.resolved' then ${dialect.jsonMember('data', name)} end`
      const findingTimesText = (severity: string) => `select kind, at, ${severity} as severity,
          ${ofResolved('resolution')} as resolution, cast(${ofResolved('openedAt')} as bigint) as "openedAt", count(*) as count
        from events e where tenant_id = ? and kind in (${listOfKinds([...openedKinds, 'finding.resolved'])})
          and data is not null and at >= ? and ${asOf.events('e')} group by 1, 2, 3, 4, 5`
      // Sought by id for each time and check: a tenant that changes often has hundreds of thousands of results.
      const lastIdText = `select y.id from events y where y.tenant_id = @tenantId and y.data is not null and y.at <= given.time
          order by y.at desc, y.id desc limit 1`
      const samplesText = `select given.time as at, e.data from ${dialect.givenRows({ time: 'integer' })}
        cross join check_states s join events e on e.id = ${lastEventOf(['result'], '@tenantId', 's."check"', `x.id <= (${lastIdText}) and ${asOf.events('x')}`)}
        where s.tenant_id = @tenantId and e.data is not null order by given.n`
      const presenceText = `select kind from events e where tenant_id = ? and kind in (${listOfKinds(['record.removed', 'record.returned'])})
        and subject = ? and not (${asOf.events('e')}) order by id limit 1`
      return {
        at,
        clamp: asOf.clamp,
        // What was written while the clock was behind belongs to the time at which it had passed the newest one again.
        latestTime: async () => (isPresent ? await db.read(latestTime) : at),
        unconfirmedTime: async () => (isPresent ? await db.read(unconfirmedTime) : null),
        async configuration(): Promise<NotedConfiguration | null> {
          const event = await db.read((tx) => lastEvent(tx, sharedChain, 'configuration', { asOf }))
          return event === undefined ? null : { ...toConfiguration(event), at: asOf.clamp(event.at) }
        },
        /** Those in force since then, oldest first. */
        async *configurations(since: number): AsyncGenerator<NotedConfiguration> {
          const rows = await db.read((tx) => tx<{ at: number; data: string }>(configurationsText, [since]))
          // Each of a thousand tenants has megabytes.
          for (const row of rows) yield { ...toConfiguration(row), at: asOf.clamp(row.at) }
        },
        /** `evaluatedAt` is the last confirmation of the check result by then. */
        async checkStates(tenantId: number): Promise<readonly CheckStateRow[]> {
          const rows = await db.read((tx) => tx<StoredState>(statesText, [tenantId]))
          return rows.map((row) => toState(row, isPresent ? null : at))
        },
        async tenantState(tenantId: number): Promise<string | null> {
          const event = await db.read((tx) => lastEvent(tx, tenantId, 'tenant.state', { asOf }))
          return event === undefined ? null : JSON.stringify((fromJson(event.data) as TenantState).state)
        },
        async runs(tenantId: number): Promise<readonly PastRun[]> {
          return await db.read((tx) => tx<PastRun>(runsText, [tenantId]))
        },
        /** Complete full syncs that runs since then know of, in the order of their ends. */
        fullSyncs: (tenantId: number, since: number): Promise<readonly FullSyncTimes[]> =>
          db.read((tx) => tx<FullSyncTimes>(fullSyncsText, [tenantId, since])),
        /** By severity takes twice as long: its text is read from each event. */
        findingTimes: (tenantId: number, since: number, bySeverity = false): Promise<readonly FindingTimes[]> =>
          db.read((tx) => {
            const severity = bySeverity ? dialect.jsonMember('data', 'severity') : 'cast(null as text)'
            return tx<FindingTimes>(findingTimesText(severity), [tenantId, since])
          }),
        /** The last results of all checks at each of these times, as far as there were any. */
        async resultsAt(tenantId: number, times: readonly number[]) {
          const given = times.map((time) => ({ time }))
          const values = { tenantId, ...dialect.bindRows({ time: 'integer' }, given) }
          const rows = await db.read((tx) => tx<{ at: number; data: string }>(samplesText, [values]))
          return rows.map(({ at: time, data }) => {
            const { status, open } = fromJson(data) as ResultFacts
            return { at: time, wasEvaluated: status === 'pass' || status === 'fail', open }
          })
        },
        findings: findingReader(db, asOf),
        /** The first removal or return after that time decides; without one, the current state. */
        isLive: (tenantId: number, resource: ResourceName, id: string): Promise<boolean> =>
          db.read(async (tx) => {
            const key = recordShapes[resource].keyOf(id)
            const [kind] = await tx<string>(presenceText, [tenantId, recordSubject(resource, key)], 'values')
            if (kind !== undefined) return kind === 'record.removed'
            const text = `select first_seen_at from records
              where tenant_id = ? and resource = ? and key = ? and ${isLive}`
            const [firstSeenAt] = await tx<number>(text, [tenantId, resource, key], 'values')
            return firstSeenAt !== undefined && asOf.includes(firstSeenAt)
          }),
        personal: personalReader(db, asOf),
        events: eventReader(db, asOf),
        /** Last event of the tenant's chain by then. */
        chainHead: async (tenantId: number): Promise<ChainHead | null> =>
          (await db.read((tx) => tx<ChainHead>(headText, [tenantId])))[0] ?? null,
      }
    },
  }
}

/** @param at a result confirmed later counts as confirmed then; null = no limit. */
function toState(
  { tenantId, check, at: changedAt, data, next, ...present }: StoredState,
  at: number | null,
): CheckStateRow {
  const { status, reason, entities, notEvaluated, since, rule, open } = fromJson(data) as ResultFacts
  const { previous = null } = next === null ? {} : (fromJson(next) as ResultFacts)
  const evaluatedAt = previous?.confirmedAt ?? (next === null ? present.evaluatedAt : null) ?? changedAt
  return {
    ...{ tenantId, check, status, reason, entities, notEvaluated, since, rule, open },
    evaluatedAt: at === null ? evaluatedAt : Math.min(evaluatedAt, at),
    changesAt: null,
    basis: null,
    validUntil: next === null ? present.validUntil : (previous?.validUntil ?? null),
    problem: null,
  }
}
