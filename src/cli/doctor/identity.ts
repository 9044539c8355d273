import { identitySentences, type TenantPosture } from '../../model/posture.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

const advice = {
  held: 'See "tenantwatch accept" and the runbook of the hold',
  unproven: 'Give the token the permission to read API clients or documents, and set ownClientId',
} as const

/** Whether the mirrored data is known to be the tenant's (docs/reliability.md). */
export function judgeIdentity({ identity }: Pick<TenantPosture, 'identity'>): Diagnosis {
  const sentence = identitySentences[identity].slice(0, -1)
  return identity === 'proven' ? fine('identity', sentence) : warning('identity', sentence, advice[identity])
}
