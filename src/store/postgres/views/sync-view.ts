import { dayMs } from '../../../model/durations.ts'
import { futureToleranceMs, minFreshnessMs } from '../../../model/freshness.ts'
import { greatestSkewMs } from '../../../model/server-clock.ts'
import { sharedChain } from '../../event-store.ts'
import { recordShapes } from '../../records/record-shape.ts'
import { tenantColumn } from '../../views/record-views.ts'
import type { SqlView } from '../../views/view.ts'
import { bigint, boolean, nowMs, numeric, text, time } from './columns.ts'

const resources = Object.keys(recordShapes)
  .map((resource) => `('${resource}')`)
  .join(', ')

const completeSkew = 's.complete_server_time - s.complete_started_at'

/** As `presentSkewMs` of src/evaluate/data-quality.ts. */
const skewSql = `case when ${completeSkew} < -${greatestSkewMs} then least(${completeSkew}, s.server_time - s.server_time_at)
      when s.server_time_at is null then ${completeSkew} else s.server_time - s.server_time_at end`

/** Latest time written before the clock was set back, while no answer confirmed the clock since. */
export const unconfirmedMs = `(select max((c.data::json ->> 'latest')::bigint) from events c
    where c.tenant_id = ${sharedChain} and c.kind = 'clock.set_back' and c.id > coalesce((select max(o.id) from events o
      where o.tenant_id = ${sharedChain} and o.kind = 'clock.confirmed'), 0))`

const countOf = (condition: string) =>
  `(select count(*) from records o where o.tenant_id = t.id and o.resource = r.resource and ${condition})`

const firstHold = (column: string) =>
  `(array_agg(o.${column} order by o.reason = 'tenant_changed' desc, o.raised_at))[1]`

const isHeld = (reason: string) => `coalesce(bool_or(o.reason = '${reason}'), false)`

const isAccepted = (list: string) => `coalesce(${list}::jsonb @> to_jsonb(r.resource), false)`

/**
 * The rules of `readDataQuality` and `assessInput`, and the states of the JSON API. `offset 0` makes the server compute
 * an expression once instead of at each use.
 */
export const syncView: SqlView = {
  name: 'tenantwatch_sync',
  rows: 'a resource of a tenant that is configured or mirrored',
  columns: [
    tenantColumn('n.tenant'),
    text('resource', 'r.resource', 'resource of the API'),
    text(
      'state',
      `case when f.enabled is null then 'not_configured' when not f.enabled then 'off' when h.id is not null then 'on_hold'
    when q.blocked in ('unauthorized', 'missing_permission') then q.blocked
    when m.as_of is null or q.blocked = 'tenant_changed' then 'never' when q.blocked = 'stale' then 'stale'
    when m.quarantined > 0 then 'quarantined' when m.missing > 0 then 'missing'
    when s.incremental_reason is not null or s.full_reason is not null then 'failing' else 'fresh' end`,
      'as in `/api/v1/status`: `fresh`, `failing` (fresh, the last run failed), `missing`, `quarantined`, `stale`, `never`, `missing_permission`, `unauthorized`, `on_hold`; also `off` and `not_configured`',
    ),
    boolean(
      'complete',
      'coalesce(f.enabled and q.blocked is null and q.partial is null, false)',
      'true when the data is fresh and whole; an empty result proves something only then',
    ),
    text(
      'reason',
      'case when f.enabled then coalesce(q.blocked, q.partial) end',
      'why `complete` is false, as the reason of a check that is unknown',
    ),
    time('data_as_of', 'm.as_of', 'start of the last complete full sync'),
    time('fresh_until', '(m.as_of + m.limit_ms)', 'when the data becomes stale without another full sync'),
    time(
      'last_success_at',
      'greatest(s.incremental_success_at, s.full_success_at)',
      'start of the last successful run of either mode; of a full sync over several runs, of the first',
    ),
    time('last_full_sync_at', 's.full_success_at', 'start of the last successful full sync'),
    time(
      'last_attempt_at',
      'greatest(s.incremental_attempt_at, s.full_attempt_at)',
      'start of the last run of either mode',
    ),
    text(
      'failure',
      'coalesce(s.full_reason, s.incremental_reason)',
      'reason of the last run that failed; null after a success',
    ),
    bigint('records', 'm.records', 'mirrored records'),
    bigint('quarantined', 'm.quarantined', 'records that failed validation and are in no view'),
    bigint('missing', 'm.missing', 'records that full syncs no longer return, still in the views'),
    text('hold_id', 'h.id', 'argument of `tenantwatch accept`; null without a hold'),
    text('hold_reason', 'h.reason', 'reason of the hold'),
    bigint('held_records', 'h.count', 'records that the hold covers'),
    time('held_since', 'h.raised_at', 'when the hold was raised'),
    numeric(
      'clock_skew_seconds',
      'm.skew_ms / 1000.0',
      'clock of the server minus that of the engine; null while unknown',
    ),
  ],
  from: `(select name as tenant from tenants union select tenant from configured_tenants) n
  cross join (values ${resources}) r (resource)
  left join tenants t on t.name = n.tenant
  left join configured_tenants c on c.tenant = n.tenant
  cross join lateral (select (e.e ->> 'enabled')::boolean as enabled, (e.e ->> 'freshnessMs')::numeric as freshness_ms,
      (e.e ->> 'intervalMs')::numeric as interval_ms
    from (select c.resources::json -> r.resource as e) e offset 0) f
  left join sync_states s on s.tenant_id = t.id and s.resource = r.resource
  cross join lateral (select ${firstHold('id')} as id, ${firstHold('reason')} as reason,
      ${firstHold('count')} as count, ${firstHold('raised_at')} as raised_at,
      ${isHeld('tenant_changed')} as tenant_changed, ${isHeld('shrink_held')} as shrink_held,
      ${isHeld('suspect_empty')} as suspect_empty
    from holds o where o.tenant_id = t.id and o.resource in (r.resource, 'all')) h
  cross join lateral (select ${nowMs} as now_ms,
    case when coalesce(s.incremental_attempt_at, s.full_attempt_at) is not null then s.complete_started_at end as as_of,
    coalesce(f.freshness_ms, greatest(${minFreshnessMs}, 3 * greatest(f.interval_ms,
      least(coalesce(s.complete_duration_ms, 0), ${dayMs})))) as limit_ms,
    ${isAccepted('t.change_accepted')} as changed, ${isAccepted('t.former')} as former,
    coalesce(s.denied, (select 'unauthorized' from sync_states o where o.tenant_id = t.id
      having max(o.token_refused_at) > coalesce(greatest(max(o.incremental_success_at), max(o.full_success_at)),
        ${Number.MIN_SAFE_INTEGER}))) as denied,
    ${countOf('o.problem is not null')} as quarantined, ${countOf('o.missing_since is not null')} as missing,
    coalesce(s.live, 0) as records,
    ${skewSql} as skew_ms,
    case when s.full_attempt_at is null
      or s.full_attempt_at >= coalesce(greatest(s.incremental_success_at, s.full_success_at), 0)
      then s.full_reason end as full_failure offset 0) m
  cross join lateral (select
    case when m.changed or h.tenant_changed then 'tenant_changed'
      when m.denied is not null then m.denied when m.former then 'tenant_changed'
      when m.as_of is null then 'never'
      when m.now_ms < ${unconfirmedMs} or m.now_ms - m.as_of > m.limit_ms
        or m.as_of - m.now_ms > ${futureToleranceMs} then 'stale' end as blocked,
    case when m.quarantined > 0 then 'quarantined'
      when m.full_failure = 'shrink_held' or h.shrink_held then 'shrink_held'
      when m.full_failure = 'suspect_empty' or h.suspect_empty then 'suspect_empty'
      when m.missing > 0 then 'missing_records' when m.skew_ms < -${greatestSkewMs} then 'clock_skew' end as partial
    offset 0) q`,
}
