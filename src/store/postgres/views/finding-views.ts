import { greatestSkewMs } from '../../../model/server-clock.ts'
import { ofRecords } from '../../history/changes.ts'
import { recordShapes } from '../../records/record-shape.ts'
import { tenantColumn } from '../../views/record-views.ts'
import type { SqlView } from '../../views/view.ts'
import { asJson, bigint, boolean, json, nowMs, text, time } from './columns.ts'
import { unconfirmedMs } from './sync-view.ts'

/** The latest of all clocks, which decides when waivers end. */
const waiverMs = `greatest(${nowMs}, ${unconfirmedMs},
      (select case when abs(o.server_time - o.server_time_at) > ${greatestSkewMs}
          then ${nowMs} + o.server_time - o.server_time_at end
        from sync_states o where o.tenant_id = f.tenant_id order by coalesce(o.server_time, 0) desc limit 1))`

export const findingView: SqlView = {
  name: 'tenantwatch_findings',
  rows: 'a finding, open or resolved',
  columns: [
    tenantColumn('t.name'),
    text('fingerprint', 'f.fingerprint', 'of `tenantwatch explain`, which takes its first six or more characters'),
    text('check', 'f."check"', 'id of the check'),
    text('severity', 'f.severity', '`info`, `low`, `medium`, `high` or `critical`'),
    text(
      'state',
      `case when f.resolved_at is not null then 'resolved' when w.id is not null then 'waived' else 'open' end`,
      '`open`, `waived` or `resolved`',
    ),
    boolean('waived', 'w.id is not null', 'true when a waiver of the configuration covers the open finding'),
    text('waiver', 'w.id', 'id of that waiver'),
    text('waiver_owner', 'w.owner', 'owner of that waiver'),
    time('waiver_expires_at', 'w.expires_ms', 'end of that waiver'),
    text('entity_type', 'f.entity_type', 'such as `user` or `api-client`'),
    text('entity_id', 'f.entity_id', 'id of the entity'),
    text('message', 'f.message', 'the finding in one sentence'),
    json('evidence', asJson('f.evidence'), 'the facts that the finding rests on'),
    time('since', 'f.first_seen_at', 'when the finding was opened'),
    time(
      'last_seen_at',
      `case when f.resolved_at is not null then f.last_seen_at
    else greatest(f.last_seen_at, case s.status when 'unknown' then s.since else s.evaluated_at end) end`,
      'last evaluation that confirmed it',
    ),
    time('resolved_at', 'f.resolved_at', 'null while open'),
    text('resolution', 'f.resolution', 'how it ended; only `fixed` means that the entity passes now'),
    bigint('reopened', 'f.reopened', 'how often it was opened again'),
  ],
  from: `findings f
  join tenants t on t.id = f.tenant_id
  left join check_states s on s.tenant_id = f.tenant_id and s."check" = f."check"
  left join configured_tenants c on c.tenant = t.name and c.waivers <> '[]' and f.resolved_at is null
  left join lateral (select e ->> 'id' as id, e ->> 'owner' as owner, (e ->> 'expiresMs')::bigint as expires_ms
    from json_array_elements(c.waivers::json) e
    where e ->> 'check' = f."check"
      and (e ->> 'entity' in ('*', f.entity_id) or e ->> 'entityKey' = f.entity_id)
      and (e ->> 'expiresMs')::numeric >= ${waiverMs}
      and not exists (select 1 from waived_findings l where l.fingerprint = f.fingerprint and l.waiver = e ->> 'id'
        and l.terms = e ->> 'terms' and l.lapsed_at is not null)
    order by (e ->> 'expiresMs')::numeric desc limit 1) w on true`,
}

const singletons = Object.values(recordShapes)
  .flatMap(({ resource, idField }) => (idField === null ? [`'${resource}'`] : []))
  .join(', ')

export const historyView: SqlView = {
  name: 'tenantwatch_history',
  rows: 'a change of a record since the first complete full sync, until `history.retentionDays` have passed',
  columns: [
    tenantColumn('t.name'),
    time('at', 'h.at', 'when the change was mirrored'),
    text('resource', 'h.resource', 'resource of the API'),
    text('entity', `case when h.resource in (${singletons}) then h.resource else h.key end`, 'id of the record'),
    text(
      'change',
      `case when h.field is null then h.change else 'changed' end`,
      '`created`, `changed`, `removed` or `returned`',
    ),
    text('field', 'h.field', 'field that changed; null for the record as a whole'),
    text('before', "h.before #>> '{}'", 'value before; JSON where it is a list'),
    text('after', "h.after #>> '{}'", 'value after; JSON where it is a list'),
    text('request_id', 'h.request_id', 'request whose answer had the change; null where the server named none'),
  ],
  from: `(select e.tenant_id, e.at, e.request_id, split_part(e.subject, '/', 1) as resource,
      substr(e.subject, strpos(e.subject, '/') + 1) as key, substr(e.kind, 8) as change, f.field, f.before, f.after
    from (select * from events where ${ofRecords}) e cross join lateral (
      select null as field, null::json as before, null::json as after where e.kind <> 'record.changed'
      union all select d.key, d.value -> 0, d.value -> 1 from json_each(${asJson('e.data')}) d) f) h
  join tenants t on t.id = h.tenant_id`,
}
