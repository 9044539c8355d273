import { stringify } from 'yaml'
import { secretLadder } from './alerts/secrets.ts'
import type { SeverityLabels } from './monitoring.ts'

interface Inhibition {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

const ladder = secretLadder.map(({ name }) => name)

/** A more severe alert about a secret inhibits the earlier ones, so that their end does not notify. */
const rungs: readonly Inhibition[] = ladder.slice(1).map((name, index) => ({
  source_matchers: [`alertname = ${name}`],
  target_matchers: [`alertname =~ "${ladder.slice(0, index + 1).join('|')}"`],
  equal: ['tenant', 'client_id'],
}))

/** Only the highest severity of an alert notifies; labels that both lack count as equal. */
function moreSevere(severities: SeverityLabels): readonly Inhibition[] {
  const { critical = 'critical', warning = 'warning', info = 'info' } = severities
  const { high = warning, medium = info } = severities
  const below: readonly (readonly [readonly string[], readonly string[]])[] = [
    [[critical], [warning, high, info, medium]],
    [
      [warning, high],
      [info, medium],
    ],
  ]
  return below.flatMap(([source, lower]) => {
    const names = [...new Set(source)]
    // An alert must not inhibit itself if two severities have the same name.
    const targets = [...new Set(lower)].filter((name) => !names.includes(name))
    if (targets.length === 0) return []
    const [only, ...others] = names
    return {
      source_matchers: [
        'alertname =~ "Tenantwatch.+"',
        others.length === 0 ? `severity = ${only}` : `severity =~ "${names.join('|')}"`,
      ],
      target_matchers: ['alertname =~ "Tenantwatch.+"', `severity =~ "${targets.join('|')}"`],
      equal: ['alertname', 'tenant', 'check', 'client_id', 'resource'],
    }
  })
}

const named = (...names: readonly string[]) =>
  names.length === 1 ? `alertname = Tenantwatch${names[0]}` : `alertname =~ "Tenantwatch(${names.join('|')})"`

/** An alert about a cause inhibits those about its consequences, but never one about findings. */
const consequences: readonly Inhibition[] = [
  {
    source_matchers: [named('Down')],
    target_matchers: [
      named(
        'InstanceDown',
        'MetricsMissing',
        'TenantGone',
        'TenantsUnowned',
        'ReplicaStale',
        'EvaluationStalled',
        'SyncStale',
        'SyncNever',
        'SyncFailing',
        'CheckUnknown',
      ),
    ],
    equal: [],
  },
  {
    source_matchers: [named('TenantsUnowned')],
    target_matchers: [named('EvaluationStalled', 'SyncStale', 'SyncNever', 'SyncFailing', 'CheckUnknown')],
    equal: ['tenant'],
  },
  // SyncStale is critical and still notifies: the hold or the refusal has lasted beyond the freshness limit.
  {
    source_matchers: [named('Held', 'AccessRefused', 'SyncStale', 'SyncNever')],
    target_matchers: [named('SyncFailing')],
    equal: ['tenant', 'resource'],
  },
  {
    source_matchers: [named('Held'), 'resource = all'],
    target_matchers: [named('AccessRefused', 'SyncFailing', 'CheckUnknown')],
    equal: ['tenant'],
  },
]

/** Inhibition rules for Alertmanager: one cause notifies only once. */
export function renderInhibitions(severities: SeverityLabels = {}): string {
  return stringify({ inhibit_rules: [...rungs, ...moreSevere(severities), ...consequences] }, { lineWidth: 0 })
}

/** A complete initial Alertmanager configuration: grouped by tenant, without receivers. */
export function renderAlertmanager(): string {
  const route = {
    receiver: 'nobody',
    group_by: ['tenant', 'alertname'],
    group_wait: '30s',
    group_interval: '5m',
    repeat_interval: '12h',
    // This alert always fires; its receiver is a dead man's switch, not a person.
    routes: [{ receiver: 'nobody', matchers: ['alertname = TenantwatchWatchdog'], repeat_interval: '5m' }],
  }
  return stringify({ route, receivers: [{ name: 'nobody' }] }, { lineWidth: 0 }) + renderInhibitions()
}
