import type { TenantSettings } from '../config/settings.ts'
import type { RuleContext } from './check.ts'
import { settingsOf } from './check-settings.ts'

/** The context of checks that comes from a tenant's configuration. */
export function ruleContextOf(tenant: Pick<TenantSettings, 'checks' | 'documents' | 'ownClientId'>): RuleContext {
  return {
    knownDocumentStatuses: tenant.documents.knownStatuses,
    optionsOf: (id) => settingsOf({ id }, tenant).options,
    ownClientId: tenant.ownClientId?.toLowerCase() ?? null,
  }
}
