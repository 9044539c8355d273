import { checks } from '../../checks/index.ts'
import type { CheckSettings, Settings, TenantSettings } from '../../config/settings.ts'
import { settingsOf, severitiesOf } from '../../evaluate/check-settings.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { severities } from '../../model/severity.ts'
import type { Links, Pack } from '../../monitoring/monitoring.ts'
import { byTenant } from '../../monitoring/thresholds.ts'

/** Evaluations that may be missed before the evaluate counts as stuck; never less than a quarter of an hour. */
const missedEvaluations = 3
const minStalledMs = 15 * minuteMs

/** What rules and dashboards need of the configuration. */
export type PackSettings = Pick<Settings, 'evaluate'> & {
  readonly tenants: readonly Pick<TenantSettings, 'name' | 'checks'>[]
}

/** The catalogue under a configuration; without tenants under its defaults. */
export function createPack({ evaluate, tenants }: PackSettings, job: string, links: Links): Pack {
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
  if (check === undefined) throw new Error('The catalogue has no check of the days before a secret expires')
  const options = check.options.parse(settingsOf(check, tenant).options) as { days: number; highDays: number }
  return { near: Math.max(options.days, options.highDays), imminent: options.highDays }
}

/** The value of the label `job` that the shipped rules are written for. */
export const defaultJob = 'tenantwatch'

export const defaultRunbooks = 'https://github.com/tenantwatch/tenantwatch/blob/main/docs/runbooks'

/** Where `compose.yaml` puts Grafana. */
export const defaultGrafana = 'http://127.0.0.1:3000'

/** When checks are evaluated by default. */
export const defaultEvaluate = { expression: '* * * * *', intervalMs: minuteMs }

/** The catalogue under its own defaults, as the files of the repository show it. */
export function defaultPack(): Pack {
  return createPack({ tenants: [], evaluate: defaultEvaluate }, defaultJob, {
    runbooks: defaultRunbooks,
    grafana: defaultGrafana,
  })
}
