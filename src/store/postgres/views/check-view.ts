import { futureToleranceMs } from '../../../model/freshness.ts'
import { greatestSkewMs } from '../../../model/server-clock.ts'
import { tenantColumn } from '../../views/record-views.ts'
import type { SqlView } from '../../views/view.ts'
import { bigint, boolean, instant, nowMs, text, time } from './columns.ts'

const blocking = `('tenant_changed', 'unauthorized', 'missing_permission', 'never', 'stale')`

/** True for a time not older than a limit in milliseconds, nor far ahead; in milliseconds and as timestamp. */
const isFreshSql = (at: string, limit: string) =>
  `(${nowMs} - ${at} <= ${limit} and ${at} - ${nowMs} <= ${futureToleranceMs})`

const isFreshInstant = (at: string, limit: string) =>
  `(${at} >= ${instant(`(${nowMs} - ${limit})`)} and ${at} <= ${instant(`(${nowMs} + ${futureToleranceMs})`)})`

const isCurrent = `(s.rule = k.rule or (s.rule is null and s.status = 'unknown'))
    and ${isFreshSql('s.evaluated_at', 'k.current_for_ms')} and ${nowMs} <= coalesce(s.valid_until, ${nowMs})`

/** The rules of `decideStatus` and `readPosture`; the first match decides. */
const cases = [
  ['not k.enabled', `'not_applicable'`, 'null'],
  ['k.rule is null', `'unknown'`, `'check_failed'`],
  ['not k.is_configured or i.is_off', `'not_applicable'`, 'null'],
  ['i.blocked is not null', `'unknown'`, 'i.blocked'],
  [`s.status = 'fail' and not (${isCurrent})`, `'unknown'`, `'stale'`],
  [`s.status = 'fail'`, `'fail'`, 'null'],
  ['i.partial is not null', `'unknown'`, 'i.partial'],
  ['s.status is null', `'unknown'`, `'never'`],
  [`s.status = 'unknown'`, `'unknown'`, `coalesce(s.reason, 'internal')`],
  [`s.status = 'pass' and k.time_based and not i.clocks_agree`, `'unknown'`, `'clock_skew'`],
  [`not (${isCurrent})`, `'unknown'`, `'stale'`],
] as const

const decided = (at: 1 | 2, otherwise: string) =>
  `case ${cases.map((one) => `when ${one[0]} then ${one[at]}`).join('\n      ')} else ${otherwise} end`

export const checkView: SqlView = {
  name: 'tenantwatch_checks',
  rows: 'a check of a configured tenant',
  columns: [
    tenantColumn('c.tenant'),
    text('check', 'k.id', 'id of the check'),
    text('title', 'k.title', 'the passing case'),
    boolean('enabled', 'k.enabled', 'false when switched off in the configuration'),
    text(
      'status',
      'd.status',
      '`pass`, `fail`, `unknown` or `not_applicable`, with the present age of the data applied',
    ),
    text('reason', 'd.reason', 'why the status is `unknown`'),
    time(
      'since',
      'case when s.status = d.status and s.reason is not distinct from d.reason then s.since end',
      'since when the check has this status; null where only the age of the data changed it',
    ),
    time('evaluated_at', 's.evaluated_at', 'last evaluation that is stored'),
    bigint('entities', 's.entities', 'entities that the check is about'),
    bigint(
      'not_evaluated',
      'least(s.entities, s.not_evaluated)',
      'entities that could not be evaluated; a check with some does not pass',
    ),
    bigint(
      'findings',
      '(select coalesce(sum(o.value::bigint), 0)::bigint from json_each_text(s.open::json) o)',
      'open findings, waived ones included',
    ),
    text('assumption', 'k.assumption', 'what the check assumes until the configuration states it'),
  ],
  from: `configured_tenants c
  cross join lateral (select e ->> 'check' as id, e ->> 'title' as title, (e ->> 'enabled')::boolean as enabled,
      (e ->> 'isConfigured')::boolean as is_configured, e ->> 'rule' as rule, e ->> 'assumption' as assumption, e -> 'inputs' as inputs,
      (e ->> 'timeBased')::boolean as time_based, (e ->> 'maxAgeMs')::numeric as max_age_ms,
      (e ->> 'currentForMs')::numeric as current_for_ms
    from json_array_elements(c.checks::json) e offset 0) k
  left join tenants t on t.name = c.tenant
  left join check_states s on s.tenant_id = t.id and s."check" = k.id
  cross join lateral (select coalesce(bool_or(y.state = 'off'), false) as is_off,
      (array_agg(y.blocked order by y.position) filter (where y.blocked is not null))[1] as blocked,
      (array_agg(y.reason order by y.position) filter (where y.reason is not null))[1] as partial,
      coalesce(bool_and(coalesce(abs(y.clock_skew_seconds) <= ${greatestSkewMs / 1000}, false)), true) as clocks_agree
    from (select p.position, x.state, x.reason, x.clock_skew_seconds,
        case when x.reason in ${blocking} then x.reason when k.max_age_ms is not null and x.state <> 'off'
          and not coalesce(${isFreshInstant('x.data_as_of', 'k.max_age_ms')}, false) then 'stale' end as blocked
      from json_array_elements_text(k.inputs) with ordinality p (resource, position)
      join tenantwatch_sync x on x.tenant = c.tenant and x.resource = p.resource) y) i
  cross join lateral (select ${decided(1, 's.status')} as status,
    ${decided(2, 'null')} as reason offset 0) d`,
}
