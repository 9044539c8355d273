import type { CheckSettings, TenantSettings } from '../config/settings.ts'
import type { Check, RuleContext } from './check.ts'

const byDefault: CheckSettings = { enabled: true, severity: null, options: {} }

export function settingsOf(check: Pick<Check, 'id'>, tenant: Pick<TenantSettings, 'checks'>): CheckSettings {
  return Object.hasOwn(tenant.checks, check.id) ? (tenant.checks[check.id] ?? byDefault) : byDefault
}

export function ruleContextOf(
  tenant: Pick<TenantSettings, 'checks' | 'users' | 'roles' | 'documents' | 'ownClientId'>,
): RuleContext {
  return {
    knownUserStates: tenant.users.knownStates,
    knownRoleStates: tenant.roles.knownStates,
    knownDocumentStatuses: tenant.documents.knownStatuses,
    optionsOf: (id) => settingsOf({ id }, tenant).options,
    ownClientId: tenant.ownClientId?.toLowerCase() ?? null,
  }
}
