-- Views for people and Grafana (docs/sql.md), after record-views.sql. Times of tables are milliseconds.

-- For queries of a period of tenantwatch_history.
create index if not exists events_instant on events (to_timestamp(at / 1000.0))
where kind in ('record.created', 'record.changed', 'record.removed', 'record.returned') and data is not null;

-- A row for each finding, open (waived included) or resolved, as it is stored.
create view tenantwatch_findings as
select
  t.name as tenant,
  f.fingerprint,
  f."check",
  f.severity,
  case when f.resolved_at is null then 'open' else 'resolved' end as state,
  f.entity_type,
  f.entity_id,
  f.message,
  -- As the records of record-views.sql.
  (case when f.evidence ~ '\\u(0000|d[89a-f][0-9a-f][0-9a-f])' then regexp_replace(f.evidence,
    '(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f][0-9a-f])', '\1\\ufffd', 'g') else f.evidence end)::json as evidence,
  to_timestamp(f.first_seen_at / 1000.0) as since,
  to_timestamp(f.last_seen_at / 1000.0) as last_seen_at,
  to_timestamp(f.resolved_at / 1000.0) as resolved_at,
  f.resolution,
  f.reopened
from findings f
join tenants t on t.id = f.tenant_id;

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
