do $$
declare found record;
begin
  perform set_config('tenantwatch.grants', coalesce((select json_agg(json_build_object('view', c.relname,
      'role', case a.grantee when 0 then 'public' else a.grantee::regrole::text end))
    from pg_class c cross join aclexplode(c.relacl) a
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'v' and c.relname like 'tenantwatch\_%'
      and a.privilege_type = 'SELECT' and a.grantee <> c.relowner)::text, '[]'), false);
  for found in select relname from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'v' and relname like 'tenantwatch\_%' order by oid desc
  loop
    execute format('drop view %I', found.relname);
  end loop;
end $$
--> statement-breakpoint
create view tenantwatch_api_clients with (security_barrier) as select
  t.name as "tenant",
  r."client_id" as "client_id",
  r."name" as "name",
  r."role_name" as "role_name",
  to_timestamp(r."secret_expiration_date_ms" / 1000.0) as "secret_expiration_date",
  to_timestamp(r."created_at_ms" / 1000.0) as "created_at",
  to_timestamp(r."first_seen_at" / 1000.0) as "first_seen_at",
  to_timestamp(r."missing_since" / 1000.0) as "missing_since"
from "api_clients" r join tenants t on t.id = r.tenant_id where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_settings with (security_barrier) as select
  t.name as "tenant",
  r."sso_enabled" = 1 as "sso_enabled",
  r."sso_enforced" = 1 as "sso_enforced",
  r."provider_type" as "provider_type",
  r."tenant_name" as "tenant_name",
  r."mfa_enabled" = 1 as "mfa_enabled",
  to_timestamp(r."first_seen_at" / 1000.0) as "first_seen_at",
  to_timestamp(r."missing_since" / 1000.0) as "missing_since"
from "authentication_settings" r join tenants t on t.id = r.tenant_id where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_documents with (security_barrier) as select
  t.name as "tenant",
  r."file_id" as "file_id",
  r."filename" as "filename",
  r."upload_status" as "upload_status",
  to_timestamp(r."created_at_ms" / 1000.0) as "created_at",
  to_timestamp(r."updated_at_ms" / 1000.0) as "updated_at",
  to_timestamp(r."status_since" / 1000.0) as "status_since",
  to_timestamp(r."first_seen_at" / 1000.0) as "first_seen_at",
  to_timestamp(r."missing_since" / 1000.0) as "missing_since"
from "documents" r join tenants t on t.id = r.tenant_id where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_permissions with (security_barrier) as select
  t.name as "tenant",
  r."permission_id" as "permission_id",
  r."name" as "name",
  r."module" as "module",
  r."function" as "function",
  r."code" as "code",
  to_timestamp(r."first_seen_at" / 1000.0) as "first_seen_at",
  to_timestamp(r."missing_since" / 1000.0) as "missing_since"
from "permissions" r join tenants t on t.id = r.tenant_id where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_roles with (security_barrier) as select
  t.name as "tenant",
  r."role_id" as "role_id",
  r."name" as "name",
  r."description" as "description",
  r."state" as "state",
  r."type" as "type",
  r."is_read_only" = 1 as "is_read_only",
  (case when r."permissions" like '%\\u0000%' then regexp_replace(r."permissions", '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') else r."permissions" end)::jsonb as "permissions",
  to_timestamp(r."first_seen_at" / 1000.0) as "first_seen_at",
  to_timestamp(r."missing_since" / 1000.0) as "missing_since"
from "roles" r join tenants t on t.id = r.tenant_id where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_role_permissions with (security_barrier) as select
  t.name as "tenant",
  r."role_id" as "role_id",
  (m ->> 'permissionId')::bigint as "permission_id",
  m ->> 'name' as "name",
  m ->> 'module' as "module",
  m ->> 'function' as "function",
  m ->> 'code' as "code"
from "roles" r join tenants t on t.id = r.tenant_id cross join lateral jsonb_array_elements((case when r."permissions" like '%\\u0000%' then regexp_replace(r."permissions", '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') else r."permissions" end)::jsonb) m where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_users with (security_barrier) as select
  t.name as "tenant",
  r."user_id" as "user_id",
  r."first_name" as "first_name",
  r."last_name" as "last_name",
  r."email" as "email",
  r."state" as "state",
  r."mfa_status" = 1 as "mfa_status",
  r."mfa_action" = 1 as "mfa_action",
  r."role_id" as "role_id",
  r."role_name" as "role_name",
  to_timestamp(r."created_at_ms" / 1000.0) as "created_at",
  to_timestamp(r."detail_read_at" / 1000.0) as "role_id_read_at",
  to_timestamp(r."first_seen_at" / 1000.0) as "first_seen_at",
  to_timestamp(r."missing_since" / 1000.0) as "missing_since"
from "users" r join tenants t on t.id = r.tenant_id where r.removed_at is null
--> statement-breakpoint
create view tenantwatch_sync as select
  n.tenant as "tenant",
  r.resource as "resource",
  case when f.enabled is null then 'not_configured' when not f.enabled then 'off' when h.id is not null then 'on_hold'
    when q.blocked in ('unauthorized', 'missing_permission') then 'unauthorized'
    when s.complete_started_at is null or q.blocked = 'tenant_changed' then 'never' when q.blocked = 'stale' then 'stale'
    when m.quarantined > 0 then 'quarantined' when m.missing > 0 then 'missing'
    when s.incremental_reason is not null or s.full_reason is not null then 'failing' else 'fresh' end as "state",
  coalesce(f.enabled and q.blocked is null and q.partial is null, false) as "complete",
  case when f.enabled then coalesce(q.blocked, q.partial) end as "reason",
  to_timestamp(s.complete_started_at / 1000.0) as "data_as_of",
  to_timestamp((s.complete_started_at + m.limit_ms) / 1000.0) as "fresh_until",
  to_timestamp(greatest(s.incremental_success_at, s.full_success_at) / 1000.0) as "last_success_at",
  to_timestamp(s.full_success_at / 1000.0) as "last_full_sync_at",
  to_timestamp(greatest(s.incremental_attempt_at, s.full_attempt_at) / 1000.0) as "last_attempt_at",
  coalesce(s.full_reason, s.incremental_reason) as "failure",
  m.records as "records",
  m.quarantined as "quarantined",
  m.missing as "missing",
  h.id as "hold_id",
  h.reason as "hold_reason",
  h.count as "held_records",
  to_timestamp(h.raised_at / 1000.0) as "held_since",
  m.skew_ms / 1000.0 as "clock_skew_seconds"
from (select name as tenant from tenants union select tenant from configured_tenants) n
  cross join (values ('api-clients', ''), ('authentication-settings', ''), ('documents', 'uploadStatus'), ('permissions', ''), ('roles', 'state'), ('users', 'state,mfaStatus,mfaAction')) r (resource, grouping)
  left join tenants t on t.name = n.tenant
  left join configured_tenants c on c.tenant = n.tenant
  cross join lateral (select (e.e ->> 'enabled')::boolean as enabled, (e.e ->> 'freshnessMs')::numeric as freshness_ms,
      (e.e ->> 'intervalMs')::numeric as interval_ms
    from (select c.resources::json -> r.resource as e) e offset 0) f
  left join sync_states s on s.tenant_id = t.id and s.resource = r.resource
  cross join lateral (select (array_agg(o.id order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as id, (array_agg(o.reason order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as reason,
      (array_agg(o.count order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as count, (array_agg(o.raised_at order by o.reason = 'tenant_changed' desc, o.raised_at))[1] as raised_at,
      coalesce(bool_or(o.reason = 'tenant_changed'), false) as tenant_changed, coalesce(bool_or(o.reason = 'shrink_held'), false) as shrink_held,
      coalesce(bool_or(o.reason = 'suspect_empty'), false) as suspect_empty
    from holds o where o.tenant_id = t.id and o.resource in (r.resource, 'all')) h
  cross join lateral (select t.change_accepted::jsonb as j offset 0) j
  cross join lateral (select extract(epoch from statement_timestamp()) * 1000 as now_ms,
    coalesce(f.freshness_ms, greatest(900000, 3 * greatest(f.interval_ms,
      least(coalesce(s.complete_duration_ms, 0), 86400000)))) as limit_ms,
    coalesce(case jsonb_typeof(j.j) when 'array' then j.j else j.j -> 'changeAccepted' end @> to_jsonb(r.resource), false) as changed,
    coalesce(case jsonb_typeof(j.j) when 'array' then j.j else j.j -> 'former' end @> to_jsonb(r.resource), false) as former,
    coalesce(s.denied, (select 'unauthorized' from sync_states o where o.tenant_id = t.id
      having max(o.token_refused_at) > coalesce(greatest(max(o.incremental_success_at), max(o.full_success_at)),
        -9007199254740991))) as denied,
    (select count(*) from quarantine o where o.tenant_id = t.id and o.resource = r.resource) as quarantined,
    (select coalesce(sum(count), 0) from record_counts n where n.tenant_id = t.id and n.resource = r.resource and n.grouping = 'missing')::bigint as missing, (select coalesce(sum(count), 0) from record_counts n where n.tenant_id = t.id and n.resource = r.resource and n.grouping = r.grouping)::bigint as records,
    case when s.server_time_at is null then s.complete_server_time - s.complete_started_at
      else s.server_time - s.server_time_at end as skew_ms,
    case when s.full_attempt_at is null
      or s.full_attempt_at >= coalesce(greatest(s.incremental_success_at, s.full_success_at), 0)
      then s.full_reason end as full_failure offset 0) m
  cross join lateral (select
    case when m.changed or h.tenant_changed then 'tenant_changed'
      when m.denied is not null then m.denied when m.former then 'tenant_changed'
      when s.complete_started_at is null then 'never'
      when m.now_ms < (select max(latest) from clock_steps where confirmed_at is null) or m.now_ms - s.complete_started_at > m.limit_ms
        or s.complete_started_at - m.now_ms > 300000 then 'stale' end as blocked,
    case when m.quarantined > 0 then 'quarantined'
      when m.full_failure = 'shrink_held' or h.shrink_held then 'shrink_held'
      when m.full_failure = 'suspect_empty' or h.suspect_empty then 'suspect_empty'
      when m.missing > 0 then 'missing_records' when m.skew_ms < -300000 then 'clock_skew' end as partial
    offset 0) q
--> statement-breakpoint
create view tenantwatch_checks as select
  c.tenant as "tenant",
  k.id as "check",
  k.title as "title",
  k.enabled as "enabled",
  d.status as "status",
  d.reason as "reason",
  to_timestamp(case when s.status = d.status and s.reason is not distinct from d.reason then s.since end / 1000.0) as "since",
  to_timestamp(s.evaluated_at / 1000.0) as "evaluated_at",
  s.entities as "entities",
  least(s.entities, s.not_evaluated) as "not_evaluated",
  (select coalesce(sum(o.value::bigint), 0)::bigint from json_each_text(s.open::json) o) as "findings",
  k.assumption as "assumption"
from configured_tenants c
  cross join lateral (select e ->> 'check' as id, e ->> 'title' as title, (e ->> 'enabled')::boolean as enabled,
      e ->> 'rule' as rule, e ->> 'assumption' as assumption, e -> 'inputs' as inputs,
      (e ->> 'timeBased')::boolean as time_based, (e ->> 'maxAgeMs')::numeric as max_age_ms,
      (e ->> 'currentForMs')::numeric as current_for_ms
    from json_array_elements(c.checks::json) e offset 0) k
  left join tenants t on t.name = c.tenant
  left join check_states s on s.tenant_id = t.id and s."check" = k.id
  cross join lateral (select coalesce(bool_or(y.state = 'off'), false) as is_off,
      (array_agg(y.blocked order by y.position) filter (where y.blocked is not null))[1] as blocked,
      (array_agg(y.reason order by y.position) filter (where y.reason is not null))[1] as partial,
      coalesce(bool_and(coalesce(abs(y.clock_skew_seconds) <= 300, false)), true) as clocks_agree
    from (select p.position, x.state, x.reason, x.clock_skew_seconds,
        case when x.reason in ('tenant_changed', 'unauthorized', 'missing_permission', 'never', 'stale') then x.reason when k.max_age_ms is not null and x.state <> 'off'
          and not coalesce((x.data_as_of >= to_timestamp((extract(epoch from statement_timestamp()) * 1000 - k.max_age_ms) / 1000.0) and x.data_as_of <= to_timestamp((extract(epoch from statement_timestamp()) * 1000 + 300000) / 1000.0)), false) then 'stale' end as blocked
      from json_array_elements_text(k.inputs) with ordinality p (resource, position)
      join tenantwatch_sync x on x.tenant = c.tenant and x.resource = p.resource) y) i
  cross join lateral (select case when not k.enabled then 'not_applicable'
      when k.rule is null then 'unknown'
      when i.is_off then 'not_applicable'
      when i.blocked is not null then 'unknown'
      when s.status = 'fail' and not ((s.rule = k.rule or (s.rule is null and s.status = 'unknown'))
    and (extract(epoch from statement_timestamp()) * 1000 - s.evaluated_at <= k.current_for_ms and s.evaluated_at - extract(epoch from statement_timestamp()) * 1000 <= 300000) and extract(epoch from statement_timestamp()) * 1000 <= coalesce(s.valid_until, extract(epoch from statement_timestamp()) * 1000)) then 'unknown'
      when s.status = 'fail' then 'fail'
      when i.partial is not null then 'unknown'
      when s.status is null then 'unknown'
      when s.status = 'unknown' then 'unknown'
      when s.status = 'pass' and k.time_based and not i.clocks_agree then 'unknown'
      when not ((s.rule = k.rule or (s.rule is null and s.status = 'unknown'))
    and (extract(epoch from statement_timestamp()) * 1000 - s.evaluated_at <= k.current_for_ms and s.evaluated_at - extract(epoch from statement_timestamp()) * 1000 <= 300000) and extract(epoch from statement_timestamp()) * 1000 <= coalesce(s.valid_until, extract(epoch from statement_timestamp()) * 1000)) then 'unknown' else s.status end as status,
    case when not k.enabled then null
      when k.rule is null then 'check_failed'
      when i.is_off then null
      when i.blocked is not null then i.blocked
      when s.status = 'fail' and not ((s.rule = k.rule or (s.rule is null and s.status = 'unknown'))
    and (extract(epoch from statement_timestamp()) * 1000 - s.evaluated_at <= k.current_for_ms and s.evaluated_at - extract(epoch from statement_timestamp()) * 1000 <= 300000) and extract(epoch from statement_timestamp()) * 1000 <= coalesce(s.valid_until, extract(epoch from statement_timestamp()) * 1000)) then 'stale'
      when s.status = 'fail' then null
      when i.partial is not null then i.partial
      when s.status is null then 'never'
      when s.status = 'unknown' then coalesce(s.reason, 'internal')
      when s.status = 'pass' and k.time_based and not i.clocks_agree then 'clock_skew'
      when not ((s.rule = k.rule or (s.rule is null and s.status = 'unknown'))
    and (extract(epoch from statement_timestamp()) * 1000 - s.evaluated_at <= k.current_for_ms and s.evaluated_at - extract(epoch from statement_timestamp()) * 1000 <= 300000) and extract(epoch from statement_timestamp()) * 1000 <= coalesce(s.valid_until, extract(epoch from statement_timestamp()) * 1000)) then 'stale' else null end as reason offset 0) d
--> statement-breakpoint
create view tenantwatch_findings as select
  t.name as "tenant",
  f.fingerprint as "fingerprint",
  f."check" as "check",
  f.severity as "severity",
  case when f.resolved_at is not null then 'resolved' when w.id is not null then 'waived' else 'open' end as "state",
  w.id is not null as "waived",
  w.id as "waiver",
  w.owner as "waiver_owner",
  to_timestamp(w.expires_ms / 1000.0) as "waiver_expires_at",
  f.entity_type as "entity_type",
  f.entity_id as "entity_id",
  f.message as "message",
  (case when f.evidence like '%\\u0000%' then regexp_replace(f.evidence, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') else f.evidence end)::jsonb as "evidence",
  to_timestamp(f.first_seen_at / 1000.0) as "since",
  to_timestamp(case when f.resolved_at is not null then f.last_seen_at
    else greatest(f.last_seen_at, case s.status when 'unknown' then s.since else s.evaluated_at end) end / 1000.0) as "last_seen_at",
  to_timestamp(f.resolved_at / 1000.0) as "resolved_at",
  f.resolution as "resolution",
  f.reopened as "reopened"
from findings f
  join tenants t on t.id = f.tenant_id
  left join check_states s on s.tenant_id = f.tenant_id and s."check" = f."check"
  left join configured_tenants c on c.tenant = t.name and c.waivers <> '[]' and f.resolved_at is null
  left join lateral (select e ->> 'id' as id, e ->> 'owner' as owner, (e ->> 'expiresMs')::bigint as expires_ms
    from json_array_elements(c.waivers::json) e
    where e ->> 'check' = f."check"
      and (e ->> 'entity' in ('*', f.entity_id) or e ->> 'entityKey' = f.entity_id)
      and (e ->> 'expiresMs')::numeric >= greatest(extract(epoch from statement_timestamp()) * 1000, (select max(latest) from clock_steps where confirmed_at is null),
      (select case when abs(o.server_time - o.server_time_at) > 300000
          then extract(epoch from statement_timestamp()) * 1000 + o.server_time - o.server_time_at end
        from sync_states o where o.tenant_id = f.tenant_id order by coalesce(o.server_time, 0) desc limit 1))
      and not exists (select 1 from waived_findings l where l.fingerprint = f.fingerprint and l.waiver = e ->> 'id'
        and l.terms = e ->> 'terms' and l.lapsed_at is not null and l.open_severity is not null)
    order by (e ->> 'expiresMs')::numeric desc limit 1) w on true
--> statement-breakpoint
create view tenantwatch_history as select
  t.name as "tenant",
  to_timestamp(h.at / 1000.0) as "at",
  h.resource as "resource",
  case when h.resource in ('authentication-settings') then h.resource else h.key end as "entity",
  h.kind as "change",
  h.field as "field",
  (case when h.before like '%\\u0000%' then regexp_replace(h.before, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') else h.before end)::jsonb #>> '{}' as "before",
  (case when h.after like '%\\u0000%' then regexp_replace(h.after, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') else h.after end)::jsonb #>> '{}' as "after",
  h.request_id as "request_id"
from changes h join tenants t on t.id = h.tenant_id
--> statement-breakpoint
create index if not exists changes_instant on changes (to_timestamp(at / 1000.0))
--> statement-breakpoint
do $$
declare found record;
begin
  for found in select g ->> 'view' as view, g ->> 'role' as role from json_array_elements(current_setting('tenantwatch.grants')::json) g
    where to_regclass(format('%I', g ->> 'view')) is not null
  loop
    execute format('grant select on %I to %s', found.view, found.role);
  end loop;
end $$
