import type { TenantSettings } from '../config/settings.ts'
import type { RuleContext } from './check.ts'

/** What of a tenant's configuration checks are told beside their own options. */
export function ruleContextOf({
  documents,
  ownClientId,
}: Pick<TenantSettings, 'documents' | 'ownClientId'>): RuleContext {
  return { knownDocumentStatuses: documents.knownStatuses, ownClientId: ownClientId?.toLowerCase() ?? null }
}
