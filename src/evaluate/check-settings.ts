import type { CheckSettings, TenantSettings } from '../config/settings.ts'
import type { Severity } from '../model/severity.ts'
import type { Check } from './check.ts'

const byDefault: CheckSettings = { enabled: true, severity: null, options: {} }

/** The settings of a check for a tenant; defaults if the configuration does not name the check. */
export function settingsOf(check: Pick<Check, 'id'>, tenant: Pick<TenantSettings, 'checks'>): CheckSettings {
  return Object.hasOwn(tenant.checks, check.id) ? (tenant.checks[check.id] ?? byDefault) : byDefault
}

/** The severities that findings of a check can have under these settings. */
export function severitiesOf(check: Pick<Check, 'severities'>, settings: CheckSettings): readonly Severity[] {
  return settings.severity === null ? check.severities : [settings.severity]
}
