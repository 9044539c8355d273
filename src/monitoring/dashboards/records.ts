import { colors, type DashboardSpec, neutral, noneIsGood, type PanelSpec, type RowSpec, words } from './panel.ts'

export const tenantNames = 'select distinct tenant from tenantwatch_sync order by tenant'

/** A dashboard over the views of docs/sql.md; the variables and macros are those of Grafana's PostgreSQL source. */
export function records(): DashboardSpec {
  return {
    source: 'postgres',
    title: 'tenantwatch: records',
    description:
      'Users, API clients, findings and changes by name, from the mirror in PostgreSQL, beside the state of the data. It shows personal data.',
    from: 'now-7d',
    annotations: [],
    rows: [quality, people, clients, findings, changes],
  }
}

const ofTenants = 'tenant in ($tenant)'

/** Null, which has no color, if nothing is configured. */
function count(title: string, description: string, view: string, what: string): PanelSpec {
  const all = `select case when count(*) > 0 then count(*) filter (where ${what}) end as "${title}"`
  const queries = [{ expr: `${all}\nfrom ${view} where ${ofTenants}` }]
  return {
    title,
    description,
    kind: 'stat',
    queries,
    unit: 'none',
    span: 8,
    steps: noneIsGood,
    noValue: 'not configured',
  }
}

type Table = Omit<PanelSpec, 'kind' | 'queries' | 'unit' | 'span'> & { readonly sql: string }

function table({ sql, ...spec }: Table): PanelSpec {
  return { kind: 'table', queries: [{ expr: sql }], unit: 'none', span: 24, steps: neutral, ...spec }
}

const stateWords = words({
  fresh: 'green',
  failing: 'yellow',
  missing: 'orange',
  quarantined: 'orange',
  stale: 'red',
  never: 'red',
  unauthorized: 'red',
  missing_permission: 'red',
  on_hold: 'red',
  off: 'text',
  not_configured: 'text',
})

const quality: RowSpec = {
  title: 'State of the data',
  panels: [
    count(
      'Resources without fresh, complete data',
      'Resources whose data is stale, on hold, refused or incomplete. What is missing below may exist.',
      'tenantwatch_sync',
      "not complete and state not in ('off', 'not_configured')",
    ),
    count(
      'Checks that cannot be evaluated',
      'Checks with status unknown: their findings below are the last known ones.',
      'tenantwatch_checks',
      "status = 'unknown'",
    ),
    count(
      'Failing checks',
      'Checks with open findings, waived ones included.',
      'tenantwatch_checks',
      "status = 'fail'",
    ),
    table({
      title: 'Resources',
      description: 'State of every resource. Only `fresh` and `failing` (the last run failed) are complete.',
      sql: `select tenant as "Tenant", resource as "Resource", state as "State", reason as "Reason", data_as_of as "Data as of",
  fresh_until as "Fresh until", last_success_at as "Last success", records as "Records", quarantined as "Quarantined",
  missing as "Missing", hold_reason as "Hold", held_records as "Held records"
from tenantwatch_sync where ${ofTenants}
order by complete, tenant, resource`,
      colored: 'State',
      words: stateWords,
    }),
  ],
}

const withoutMfa = 'user-mfa-enrolled'

const people: RowSpec = {
  title: 'People',
  panels: [
    table({
      title: 'Users without a second factor',
      description:
        "As the check `user-mfa-enrolled` decides, by the tenant's policy and the setting `enrolledWhen`. A tenant whose check does not pass or fail has a row that gives the reason; only an empty table means that nobody lacks it.",
      sql: `select f.tenant as "Tenant", concat_ws(' ', u.first_name, u.last_name) as "Name", u.email as "E-mail",
  u.role_name as "Role", u.state as "User state", f.since as "Since", f.state as "Finding", f.entity_id as "Id"
from tenantwatch_findings f
left join tenantwatch_users u on u.tenant = f.tenant and u.user_id::text = f.entity_id
where f."check" = '${withoutMfa}' and f.state <> 'resolved' and f.${ofTenants}
union all
select y.tenant, case c.status when 'unknown' then 'not known: ' || c.reason
    when 'not_applicable' then 'not demanded, or switched off' else 'not known: no such check' end,
  null, null, null, null, coalesce(c.status, 'unknown'), null
from (select distinct tenant from tenantwatch_sync where state <> 'not_configured') y
left join tenantwatch_checks c on c.tenant = y.tenant and c."check" = '${withoutMfa}'
where coalesce(c.status, '') not in ('pass', 'fail') and y.${ofTenants}
order by 1, 6 nulls first, 8
limit 1000`,
      colored: 'Finding',
      words: words({ open: 'red', waived: 'blue', unknown: 'purple', not_applicable: 'text' }),
      noValue: 'nobody',
    }),
  ],
}

const day = 86_400

const clients: RowSpec = {
  title: 'API clients',
  panels: [
    table({
      title: 'API clients by expiry',
      description:
        'The next secret to expire comes first; below 0 days it has expired. A tenant without API clients has one row with the state of the data.',
      sql: `select y.tenant as "Tenant", a.name as "Client", a.role_name as "Role", a.secret_expiration_date as "Expires",
  extract(epoch from a.secret_expiration_date - now())::float8 / ${day} as "Days left", a.client_id as "Client id",
  y.state as "Data"
from tenantwatch_sync y left join tenantwatch_api_clients a on a.tenant = y.tenant
where y.resource = 'api-clients' and y.${ofTenants}
order by a.secret_expiration_date nulls first, y.tenant, a.name, a.client_id
limit 1000`,
      decimals: 1,
      colored: 'Days left',
      steps: colors('red', [7, 'orange'], [30, 'green']),
    }),
  ],
}

const severityOrder = `array_position(array['unknown', 'critical', 'high', 'medium', 'low', 'info'], severity)`

const findings: RowSpec = {
  title: 'Findings',
  panels: [
    table({
      title: 'Open findings with evidence',
      description:
        'Findings that no waiver accepts, the highest severity first. A check that cannot be evaluated has a row of severity unknown. `tenantwatch explain` takes the finding.',
      sql: `select tenant as "Tenant", severity as "Severity", "check" as "Check", entity_type as "Entity", entity_id as "Id",
  name as "Name", message as "Message", since as "Since", evidence as "Evidence", left(fingerprint, 12) as "Finding"
from (
  select f.tenant, f.severity, f."check", f.entity_type, f.entity_id, f.message, f.since, f.evidence::text, f.fingerprint,
    case f.entity_type when 'user' then concat_ws(' ', u.first_name, u.last_name) end as name
  from tenantwatch_findings f
  left join tenantwatch_users u on f.entity_type = 'user' and u.tenant = f.tenant and u.user_id::text = f.entity_id
  where f.state = 'open'
  union all
  select tenant, 'unknown', "check", null, null, 'The check cannot be evaluated: ' || reason, since, null, null, null
  from tenantwatch_checks where status = 'unknown'
) found where ${ofTenants}
order by ${severityOrder}, since, tenant, "check", entity_id
limit 1000`,
      colored: 'Severity',
      words: words({ unknown: 'purple', critical: 'red', high: 'orange', medium: 'yellow', low: 'blue', info: 'text' }),
      height: 12,
      noValue: 'none open',
    }),
  ],
}

const changes: RowSpec = {
  title: 'Changes',
  panels: [
    table({
      title: 'Changes of records',
      description:
        'Changes that were mirrored in the selected time, the newest first, a thousand at most. Without a full sync there are none: see the state of the data.',
      sql: `select at as "Time", tenant as "Tenant", resource as "Resource", entity as "Id", change as "Change", field as "Field",
  before as "Before", after as "After", request_id as "Request"
from tenantwatch_history where $__timeFilter(at) and ${ofTenants}
order by at desc
limit 1000`,
      colored: 'Change',
      words: words({ created: 'green', changed: 'text', removed: 'orange', returned: 'blue' }),
      height: 12,
      noValue: 'none in this time',
    }),
  ],
}
