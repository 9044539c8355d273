import type { MonitoringInput } from '../../monitoring.ts'
import { colors, neutral, noneIsBetter, noneIsGood, number, ofTenants, pageOf, type RowSpec, words } from '../panel.ts'

const lastFullSync = ofTenants('tenantwatch_sync_last_success_timestamp_seconds', 'mode="full"')
const fullLimit = ofTenants('tenantwatch_sync_freshness_limit_seconds', 'mode="full"')
const enabled = `and on (tenant, check) ${ofTenants('tenantwatch_check_enabled')} == 1`

export function quality({ job }: MonitoringInput): RowSpec {
  return {
    title: 'Data quality',
    panels: [
      number(
        'Daemons answering',
        'Daemons that answer scrapes. At 0, every number below is the last known one.',
        `sum(up{job="${job}"}) or vector(0)`,
        colors('red', [1, 'green']),
      ),
      number(
        'Stale resources',
        'Resources without a completed full sync within their freshness limit; checks over them are unknown.',
        `sum(time() - ${lastFullSync} > bool ${fullLimit})`,
        noneIsGood,
      ),
      number(
        'Checks that cannot be evaluated',
        'Enabled checks with status unknown: compliance of the tenant is unknown.',
        `sum(${ofTenants('tenantwatch_check_status', 'status="unknown"')} ${enabled})`,
        noneIsGood,
      ),
      number(
        'Holds',
        'Changes that the engine holds back until an operator accepts them with `tenantwatch accept` or their cause is gone.',
        `sum(${ofTenants('tenantwatch_hold')})`,
        noneIsGood,
      ),
      number(
        'Quarantined records',
        'Invalid records, stored separately; checks that read them cannot pass.',
        `sum(${ofTenants('tenantwatch_quarantined_records')})`,
        noneIsBetter,
      ),
      {
        title: 'Passing checks',
        description:
          'Ratio of passing to enabled applicable checks, of the tenant with the lowest ratio. Unknown counts as not passing.',
        kind: 'stat',
        queries: [{ expr: `min(${ofTenants('tenant:tenantwatch_checks_passing:ratio')})` }],
        unit: 'percentunit',
        decimals: 0,
        span: 4,
        steps: neutral,
        noValue: 'no check applies',
      },
      {
        title: 'Age of the data',
        description:
          'Time since the last complete full sync began, as a share of the freshness limit; data beyond 100 % is stale. 1000 % means ten times the limit or more, or never.',
        kind: 'bars',
        queries: [
          { expr: `clamp_max((time() - ${lastFullSync}) / ${fullLimit}, 10)`, legend: '{{tenant}} {{resource}}' },
        ],
        unit: 'percentunit',
        decimals: 0,
        max: 1,
        span: 8,
        height: 9,
        steps: colors('green', [0.7, 'orange'], [1, 'red']),
      },
      {
        title: 'Status of every check',
        description: 'Status over time. Unknown is not a pass: data was missing, stale, on hold or incomplete.',
        kind: 'states',
        queries: [{ expr: statusNumber(), legend: '{{tenant}} {{check}}' }],
        unit: 'none',
        span: 16,
        height: 9,
        words: words({
          '0': ['not applicable', 'text'],
          '1': ['pass', 'green'],
          '2': ['unknown', 'purple'],
          '3': ['fail', 'red'],
        }),
        link: pageOf('$' + '{__field.labels.tenant}', '$' + '{__field.labels.check}'),
      },
    ],
  }
}

/** The state set as one number per check, for a panel that colors numbers. */
function statusNumber(): string {
  const of = (status: string, number: number) =>
    `max by (tenant, check) (${ofTenants('tenantwatch_check_status', `status="${status}"`)} == 1) * ${number}`
  return [of('fail', 3), of('unknown', 2), of('pass', 1), of('not_applicable', 0)].join('\nor ')
}
