import { stringify } from 'yaml'
import { secretLadder } from './alerts/secrets.ts'

interface Inhibition {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal: readonly string[]
}

const ladder = secretLadder.map(({ name }) => name)

/** Of a secret's ladder only the highest rung is heard. */
const rungs: readonly Inhibition[] = ladder.slice(1).map((name, index) => ({
  source_matchers: [`alertname = ${name}`],
  target_matchers: [`alertname =~ "${ladder.slice(0, index + 1).join('|')}"`],
  equal: ['tenant', 'client_id'],
}))

/** Of one alert only its most severe severity is heard; labels that both lack count as equal. */
const moreSevere: readonly Inhibition[] = (
  [
    ['critical', 'warning|info'],
    ['warning', 'info'],
  ] as const
).map(([source, target]) => ({
  source_matchers: ['alertname =~ "Tenantwatch.+"', `severity = ${source}`],
  target_matchers: ['alertname =~ "Tenantwatch.+"', `severity =~ "${target}"`],
  equal: ['alertname', 'tenant', 'check', 'client_id', 'resource'],
}))

/** While no daemon answers at all, that each one does not is no news; what it watches keeps its own alerts. */
const dead: Inhibition = {
  source_matchers: ['alertname = TenantwatchDown'],
  target_matchers: ['alertname =~ "Tenantwatch(InstanceDown|MetricsMissing|TenantGone)"'],
  equal: [],
}

/** The part of an Alertmanager's configuration that keeps one cause from paging several times. */
export function renderInhibitions(): string {
  return stringify({ inhibit_rules: [...rungs, ...moreSevere, dead] }, { lineWidth: 0 })
}

/** A whole configuration of Alertmanager to begin with: it groups by tenant and tells nobody yet. */
export function renderAlertmanager(): string {
  const route = {
    receiver: 'nobody',
    group_by: ['tenant', 'alertname'],
    group_wait: '30s',
    group_interval: '5m',
    repeat_interval: '12h',
    // Always firing: for a dead man's switch, not for people.
    routes: [{ receiver: 'nobody', matchers: ['alertname = TenantwatchWatchdog'], repeat_interval: '5m' }],
  }
  return stringify({ route, receivers: [{ name: 'nobody' }] }, { lineWidth: 0 }) + renderInhibitions()
}
