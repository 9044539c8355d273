import { stringify } from 'yaml'
import { secretLadder } from './alerts/secrets.ts'
import type { AlertMarks } from './monitoring.ts'

interface Inhibition {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

const ladder = secretLadder.map(({ name }) => name)

/** Only the most urgent alert about a secret notifies. */
const rungs: readonly Inhibition[] = ladder.slice(1).map((name, index) => ({
  source_matchers: [`alertname = ${name}`],
  target_matchers: [`alertname =~ "${ladder.slice(0, index + 1).join('|')}"`],
  equal: ['tenant', 'client_id'],
}))

/** Only the highest severity of an alert notifies; labels that both lack count as equal. */
function moreSevere(severities: AlertMarks['severities']): readonly Inhibition[] {
  const { critical = 'critical', warning = 'warning', info = 'info' } = severities
  const below: readonly (readonly [string, readonly string[]])[] = [
    [critical, [warning, info]],
    [warning, [info]],
  ]
  return below.flatMap(([source, lower]) => {
    // An alert must not inhibit itself where two severities have one name.
    const targets = lower.filter((name) => name !== source)
    if (targets.length === 0) return []
    return {
      source_matchers: ['alertname =~ "Tenantwatch.+"', `severity = ${source}`],
      target_matchers: ['alertname =~ "Tenantwatch.+"', `severity =~ "${targets.join('|')}"`],
      equal: ['alertname', 'tenant', 'check', 'client_id', 'resource'],
    }
  })
}

/** While no daemon answers, alerts about single instances are redundant. */
const allDown: Inhibition = {
  source_matchers: ['alertname = TenantwatchDown'],
  target_matchers: ['alertname =~ "Tenantwatch(InstanceDown|MetricsMissing|TenantGone)"'],
  equal: [],
}

/** Inhibition rules for Alertmanager: one cause notifies only once. */
export function renderInhibitions(severities: AlertMarks['severities'] = {}): string {
  return stringify({ inhibit_rules: [...rungs, ...moreSevere(severities), allDown] }, { lineWidth: 0 })
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
