import type { TenantPosture } from '../model/posture.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

/** Records that no check reads, because they could not be read. */
export function diagnoseQuarantine({ resources }: Pick<TenantPosture, 'resources'>): readonly Diagnosis[] {
  const counts = resources.filter(({ quarantined }) => quarantined > 0)
  if (counts.length === 0) return []
  const sentence = `quarantined records: ${counts.map(({ resource, quarantined }) => `${quarantined} of ${resource}`).join(', ')}`
  return [warning('quarantine', sentence, '"tenantwatch doctor --quarantine" names them and what is wrong with each')]
}
