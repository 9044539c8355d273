import type { TenantPosture } from '../model/posture.ts'
import { withoutWaiverDetails } from '../model/text/redact-waiver.ts'

const hidden = '[hidden]: see the log, or "tenantwatch findings"'

/** Hides waiver details and the problems of own checks, which may quote an entity, unless details are exposed. */
export function shownPostures(postures: readonly TenantPosture[], exposeDetails: boolean): readonly TenantPosture[] {
  if (exposeDetails) return postures
  return postures.map((posture) => ({
    ...posture,
    waivers: posture.waivers.map((waiver) => withoutWaiverDetails(waiver)),
    checks: posture.checks.map((view) => (view.problem === undefined ? view : { ...view, problem: hidden })),
  }))
}
