import type { TenantPosture } from '../model/posture.ts'
import { resourceNames } from '../model/resource-names.ts'
import { dataWarnings } from '../report/data-warnings.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

const subject = 'data'
const general = 'Checks that read it may be unknown; the status page says what to do'
const ofQuarantine = `${general}, and "tenantwatch doctor --quarantine" what is wrong with each record`

/** Why the data of resources differs, or may differ, from the tenant's. */
export function diagnoseData(posture: TenantPosture): readonly Diagnosis[] {
  const found = dataWarnings(posture, ...resourceNames)
  if (found.length === 0) return [fine(subject, 'every resource is fresh and complete')]
  const advice = posture.resources.some(({ quarantined }) => quarantined > 0) ? ofQuarantine : general
  return found.map((sentence) => warning(subject, sentence, advice))
}

/** True until a first full sync has completed. */
export function isUnmirrored({ resources }: Pick<TenantPosture, 'resources'>): boolean {
  return resources.every(({ dataAsOf }) => dataAsOf === null)
}
