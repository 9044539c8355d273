import { checks } from '../../checks/index.ts'
import type { CheckSettings, Settings, TenantSettings } from '../../config/settings.ts'
import { settingsOf, severitiesOf } from '../../evaluate/check-settings.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { severities } from '../../model/severity.ts'
import type { Links, MonitoringInput } from '../../monitoring/monitoring.ts'
import { byTenant } from '../../monitoring/thresholds.ts'

/** Missed evaluations before an alert, but at least 15 minutes. */
const missedEvaluations = 3
const minStalledMs = 15 * minuteMs

/** The settings that rules and dashboards depend on. */
export type MonitoringSettings = Pick<Settings, 'evaluate'> & {
  readonly tenants: readonly Pick<TenantSettings, 'name' | 'checks'>[]
}

/** The input of rules and dashboards for a configuration; without tenants for the defaults. */
export function createMonitoringInput(
  { evaluate, tenants }: MonitoringSettings,
  job: string,
  links: Links,
): MonitoringInput {
  const any = tenants.length === 0 ? [{ name: '', checks: {} }] : tenants
  return {
    checks: checks.map((check) => ({
      id: check.id,
      title: check.title,
      alert: check.alert,
      severities: severities.filter((severity) =>
        any.some((tenant) => severitiesOf(check, settingsOf(check, tenant)).includes(severity)),
      ),
    })),
    job,
    links,
    secretDays: byTenant(any, secretDaysOf),
    evaluationStalledSeconds: Math.max(minStalledMs, missedEvaluations * evaluate.intervalMs) / secondMs,
  }
}

function secretDaysOf(tenant: { readonly checks: Readonly<Record<string, CheckSettings>> }) {
  const check = checks.find(({ id }) => id === 'api-client-secret-not-expiring')
  if (check === undefined) throw new Error('The catalogue has no check api-client-secret-not-expiring')
  const options = check.options.parse(settingsOf(check, tenant).options) as { days: number; highDays: number }
  return { near: Math.max(options.days, options.highDays), imminent: options.highDays }
}

/** The label `job` in the shipped rules. */
export const defaultJob = 'tenantwatch'

export const defaultRunbooks = 'https://github.com/tenantwatch/tenantwatch/blob/main/docs/runbooks'

/** Address of Grafana in `compose.yaml`. */
export const defaultGrafana = 'http://127.0.0.1:3000'

/** Default schedule of evaluations. */
export const defaultEvaluate = { expression: '* * * * *', intervalMs: minuteMs }

/** The input of the files in the repository. */
export function defaultMonitoringInput(): MonitoringInput {
  return createMonitoringInput({ tenants: [], evaluate: defaultEvaluate }, defaultJob, {
    runbooks: defaultRunbooks,
    grafana: defaultGrafana,
  })
}
