-- Views for people and Grafana (docs/sql.md), after record-views.sql. A view only reads earlier ones.
-- Ages are as of statement_timestamp(): in a transaction that is left open, now() would keep old data fresh.
-- `offset 0` makes the server compute an expression once instead of at each use.
-- Times of tables are milliseconds; 300000 is the skew that clocks may have (src/model/server-clock.ts, freshness.ts).

-- For queries of a period of tenantwatch_history.
create index if not exists events_instant on events (to_timestamp(at / 1000.0))
where kind in ('record.created', 'record.changed', 'record.removed', 'record.returned') and data is not null;

-- A row for each resource of a tenant that is configured or mirrored: the rules of readDataQuality and assessInput
-- (src/evaluate), and the states of the JSON API.
create view tenantwatch_sync as
select
  n.tenant,
  r.resource,
  case
    when f.enabled is null then 'not_configured'
    when not f.enabled then 'off'
    when h.id is not null then 'on_hold'
    when q.blocked in ('unauthorized', 'missing_permission') then q.blocked
    when m.as_of is null or q.blocked = 'tenant_changed' then 'never'
    when q.blocked = 'stale' then 'stale'
    when m.quarantined > 0 then 'quarantined'
    when m.missing > 0 then 'missing'
    when s.incremental_reason is not null or s.full_reason is not null then 'failing'
    else 'fresh'
  end as state,
  coalesce(f.enabled and q.blocked is null and q.partial is null, false) as complete,
  case when f.enabled then coalesce(q.blocked, q.partial) end as reason,
  to_timestamp(m.as_of / 1000.0) as data_as_of,
  to_timestamp((m.as_of + m.limit_ms) / 1000.0) as fresh_until,
  to_timestamp(m.success_at / 1000.0) as last_success_at,
  to_timestamp(s.full_success_at / 1000.0) as last_full_sync_at,
  to_timestamp(greatest(s.incremental_attempt_at, s.full_attempt_at) / 1000.0) as last_attempt_at,
  coalesce(s.full_reason, s.incremental_reason) as failure,
  coalesce(s.live, 0) as records,
  m.quarantined,
  m.missing,
  h.id as hold_id,
  h.reason as hold_reason,
  h.count as held_records,
  to_timestamp(h.raised_at / 1000.0) as held_since,
  m.skew_ms / 1000.0 as clock_skew_seconds
from (select name as tenant from tenants union select tenant from configured_tenants) n
cross join (
  values ('api-clients'), ('authentication-settings'), ('documents'), ('permissions'), ('roles'), ('users')
) r (resource)
left join tenants t on t.name = n.tenant
left join configured_tenants c on c.tenant = n.tenant
left join sync_states s on s.tenant_id = t.id and s.resource = r.resource
cross join lateral (
  select
    (e.e ->> 'enabled')::boolean as enabled,
    (e.e ->> 'freshnessMs')::numeric as freshness_ms,
    (e.e ->> 'intervalMs')::numeric as interval_ms
  from (select c.resources::json -> r.resource as e) e offset 0
) f
-- The hold that is shown, and which kinds there are.
cross join lateral (
  select
    (array_agg(o.id order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as id,
    (array_agg(o.reason order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as reason,
    (array_agg(o.count order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as count,
    (array_agg(o.raised_at order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as raised_at,
    coalesce(bool_or(o.reason = 'tenant_changed'), false) as tenant_changed,
    coalesce(bool_or(o.reason = 'shrink_held'), false) as shrink_held,
    coalesce(bool_or(o.reason = 'suspect_empty'), false) as suspect_empty
  from holds o where o.tenant_id = t.id and o.resource in (r.resource, 'all')
) h
cross join lateral (
  select
    extract(epoch from statement_timestamp()) * 1000 as now_ms,
    -- The latest time written before the clock was set back, while no answer confirmed the clock since.
    (select max((c.data::json ->> 'latest')::bigint) from events c
      where c.tenant_id = 0 and c.kind = 'clock.set_back' and c.id > coalesce(
        (select max(o.id) from events o where o.tenant_id = 0 and o.kind = 'clock.confirmed'), 0)) as unconfirmed_ms,
    greatest(s.incremental_success_at, s.full_success_at) as success_at,
    case when coalesce(s.incremental_attempt_at, s.full_attempt_at) is not null
      then s.complete_started_at end as as_of,
    -- Without a configured limit, three intervals, at least 15 minutes.
    coalesce(f.freshness_ms, greatest(900000,
      3 * greatest(f.interval_ms, least(coalesce(s.complete_duration_ms, 0), 86400000)))) as limit_ms,
    coalesce(t.change_accepted::jsonb @> to_jsonb(r.resource), false) as changed,
    coalesce(t.former::jsonb @> to_jsonb(r.resource), false) as former,
    coalesce(s.denied, (select 'unauthorized' from sync_states o where o.tenant_id = t.id
      having max(o.token_refused_at)
        > coalesce(greatest(max(o.incremental_success_at), max(o.full_success_at)), -9007199254740991))) as denied,
    (select count(*) from records o
      where o.tenant_id = t.id and o.resource = r.resource and o.problem is not null) as quarantined,
    (select count(*) from records o
      where o.tenant_id = t.id and o.resource = r.resource and o.missing_since is not null) as missing,
    -- As presentSkewMs of src/evaluate/data-quality.ts.
    case
      when s.complete_server_time - s.complete_started_at < -300000
        then least(s.complete_server_time - s.complete_started_at, s.server_time - s.server_time_at)
      when s.server_time_at is null then s.complete_server_time - s.complete_started_at
      else s.server_time - s.server_time_at
    end as skew_ms,
    case when s.full_attempt_at is null
      or s.full_attempt_at >= coalesce(greatest(s.incremental_success_at, s.full_success_at), 0)
      then s.full_reason end as full_failure
  offset 0
) m
cross join lateral (
  select
    case
      when m.changed or h.tenant_changed then 'tenant_changed'
      when m.denied is not null then m.denied
      when m.former then 'tenant_changed'
      when m.as_of is null then 'never'
      when m.now_ms < m.unconfirmed_ms or m.now_ms - m.as_of > m.limit_ms or m.as_of - m.now_ms > 300000 then 'stale'
    end as blocked,
    case
      when m.quarantined > 0 then 'quarantined'
      when m.full_failure = 'shrink_held' or h.shrink_held then 'shrink_held'
      when m.full_failure = 'suspect_empty' or h.suspect_empty then 'suspect_empty'
      when m.missing > 0 then 'missing_records'
      when m.skew_ms < -300000 then 'clock_skew'
    end as partial
  offset 0
) q;

-- A row for each check of a configured tenant: the rules of decideStatus and readPosture (src/evaluate).
create view tenantwatch_checks as
select
  c.tenant,
  k.id as "check",
  k.title,
  k.enabled,
  d.verdict[1] as status,
  d.verdict[2] as reason,
  to_timestamp(case when s.status = d.verdict[1] and s.reason is not distinct from d.verdict[2]
    then s.since end / 1000.0) as since,
  to_timestamp(s.evaluated_at / 1000.0) as evaluated_at,
  s.entities,
  least(s.entities, s.not_evaluated) as not_evaluated,
  (select coalesce(sum(o.value::bigint), 0)::bigint from json_each_text(s.open::json) o) as findings,
  k.assumption
from configured_tenants c
cross join lateral (
  select
    e ->> 'check' as id,
    e ->> 'title' as title,
    (e ->> 'enabled')::boolean as enabled,
    (e ->> 'isConfigured')::boolean as is_configured,
    e ->> 'rule' as rule,
    e ->> 'assumption' as assumption,
    e -> 'inputs' as inputs,
    (e ->> 'timeBased')::boolean as time_based,
    (e ->> 'maxAgeMs')::numeric as max_age_ms,
    (e ->> 'currentForMs')::numeric as current_for_ms
  from json_array_elements(c.checks::json) e offset 0
) k
left join tenants t on t.name = c.tenant
left join check_states s on s.tenant_id = t.id and s."check" = k.id
cross join lateral (select extract(epoch from statement_timestamp()) * 1000 as now_ms offset 0) n
cross join lateral (
  select
    coalesce(bool_or(y.state = 'off'), false) as is_off,
    (array_agg(y.blocked order by y.position) filter (where y.blocked is not null))[1] as blocked,
    (array_agg(y.reason order by y.position) filter (where y.reason is not null))[1] as partial,
    coalesce(bool_and(coalesce(abs(y.clock_skew_seconds) <= 300, false)), true) as clocks_agree
  from (
    select p.position, x.state, x.reason, x.clock_skew_seconds,
      case
        when x.reason in ('tenant_changed', 'unauthorized', 'missing_permission', 'never', 'stale') then x.reason
        when k.max_age_ms is not null and x.state <> 'off' and not coalesce(x.data_as_of between
          to_timestamp((n.now_ms - k.max_age_ms) / 1000.0) and to_timestamp((n.now_ms + 300000) / 1000.0), false)
          then 'stale'
      end as blocked
    from json_array_elements_text(k.inputs) with ordinality p (resource, position)
    join tenantwatch_sync x on x.tenant = c.tenant and x.resource = p.resource
  ) y
) i
cross join lateral (
  select (s.rule = k.rule or s.rule is null and s.status = 'unknown')
    and n.now_ms - s.evaluated_at <= k.current_for_ms and s.evaluated_at - n.now_ms <= 300000
    and (s.status = 'unknown' or n.now_ms < coalesce(s.changes_at, n.now_ms + 1)) as is_current
  offset 0
) u
cross join lateral (
  select case
    when not k.enabled then array['not_applicable', null]
    when k.rule is null then array['unknown', 'check_failed']
    when not k.is_configured or i.is_off then array['not_applicable', null]
    when i.blocked is not null then array['unknown', i.blocked]
    when s.status = 'fail' and not u.is_current then array['unknown', 'stale']
    when s.status = 'fail' then array['fail', null]
    when i.partial is not null then array['unknown', i.partial]
    when s.status is null then array['unknown', 'never']
    when s.status = 'unknown' then array['unknown', coalesce(s.reason, 'internal')]
    when s.status = 'pass' and k.time_based and not i.clocks_agree then array['unknown', 'clock_skew']
    when not u.is_current then array['unknown', 'stale']
    else array[s.status, null]
  end as verdict
  offset 0
) d;

-- A row for each finding, open or resolved.
create view tenantwatch_findings as
select
  t.name as tenant,
  f.fingerprint,
  f."check",
  f.severity,
  case when f.resolved_at is not null then 'resolved' when w.id is not null then 'waived' else 'open' end as state,
  w.id is not null as waived,
  w.id as waiver,
  w.owner as waiver_owner,
  to_timestamp(w.expires_ms / 1000.0) as waiver_expires_at,
  f.entity_type,
  f.entity_id,
  f.message,
  -- As the records of record-views.sql.
  (case when f.evidence ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(f.evidence,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else f.evidence end)::json as evidence,
  to_timestamp(f.first_seen_at / 1000.0) as since,
  to_timestamp(case when f.resolved_at is not null then f.last_seen_at else greatest(f.last_seen_at,
    case s.status when 'unknown' then s.since else s.evaluated_at end) end / 1000.0) as last_seen_at,
  to_timestamp(f.resolved_at / 1000.0) as resolved_at,
  f.resolution,
  f.reopened
from findings f
join tenants t on t.id = f.tenant_id
left join check_states s on s.tenant_id = f.tenant_id and s."check" = f."check"
left join configured_tenants c on c.tenant = t.name and c.waivers <> '[]' and f.resolved_at is null
left join lateral (
  select e ->> 'id' as id, e ->> 'owner' as owner, (e ->> 'expiresMs')::bigint as expires_ms
  from json_array_elements(c.waivers::json) e
  where e ->> 'check' = f."check"
    and (e ->> 'entity' in ('*', f.entity_id) or e ->> 'entityKey' = f.entity_id)
    -- The latest of all clocks decides when a waiver ends.
    and (e ->> 'expiresMs')::numeric >= greatest(
      extract(epoch from statement_timestamp()) * 1000,
      (select max((c.data::json ->> 'latest')::bigint) from events c
        where c.tenant_id = 0 and c.kind = 'clock.set_back' and c.id > coalesce(
          (select max(o.id) from events o where o.tenant_id = 0 and o.kind = 'clock.confirmed'), 0)),
      (select case when abs(o.server_time - o.server_time_at) > 300000
          then extract(epoch from statement_timestamp()) * 1000 + o.server_time - o.server_time_at end
        from sync_states o where o.tenant_id = f.tenant_id order by coalesce(o.server_time, 0) desc limit 1))
    and not exists (select 1 from waived_findings l where l.fingerprint = f.fingerprint and l.waiver = e ->> 'id'
      and l.terms = e ->> 'terms' and l.lapsed_at is not null)
  order by (e ->> 'expiresMs')::numeric desc limit 1
) w on true;

-- A row for each change of a record since the first complete full sync.
create view tenantwatch_history as
select
  t.name as tenant,
  to_timestamp(h.at / 1000.0) as at,
  h.resource,
  case when h.resource = 'authentication-settings' then h.resource else h.key end as entity,
  case when h.field is null then h.change else 'changed' end as change,
  h.field,
  h.before #>> '{}' as before,
  h.after #>> '{}' as after,
  h.request_id
from (
  select e.tenant_id, e.at, e.request_id, split_part(e.subject, '/', 1) as resource,
    substr(e.subject, strpos(e.subject, '/') + 1) as key, substr(e.kind, 8) as change, f.field, f.before, f.after
  from (
    select * from events
    where kind in ('record.created', 'record.changed', 'record.removed', 'record.returned') and data is not null
  ) e
  cross join lateral (
    select null as field, null::json as before, null::json as after where e.kind <> 'record.changed'
    union all
    select d.key, d.value -> 0, d.value -> 1
    from json_each((case when e.data ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(e.data,
      '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else e.data end)::json) d
  ) f
) h
join tenants t on t.id = h.tenant_id;
