import type { TenantSettings } from '../config/settings.ts'
import type { RuleContext } from './check.ts'
import { settingsOf } from './check-settings.ts'

export function ruleContextOf(tenant: Pick<TenantSettings, 'checks' | 'documents' | 'ownClientId'>): RuleContext {
  return {
    knownDocumentStatuses: tenant.documents.knownStatuses,
    optionsOf: (id) => settingsOf({ id }, tenant).options,
    ownClientId: tenant.ownClientId?.toLowerCase() ?? null,
  }
}
