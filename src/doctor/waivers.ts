import { dayMs, describeDuration } from '../model/durations.ts'
import type { TenantPosture, WaiverView } from '../model/posture.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

const soonMs = 14 * dayMs
const subject = 'waivers'

/** One warning for each waiver that ends soon, has ended, or covers nothing. */
export function diagnoseWaivers({ waivers, at }: TenantPosture): readonly Diagnosis[] {
  const found = waivers.flatMap((waiver) => diagnoseWaiver(waiver, at) ?? [])
  return found.length > 0 || waivers.length === 0 ? found : [fine(subject, `${waivers.length} in force`)]
}

function diagnoseWaiver({ id, check, entity, expiresAt, state }: WaiverView, at: number): Diagnosis | null {
  const what = `${id} (${check}, ${entity})`
  switch (state) {
    case 'expired':
      return warning(subject, `${what} has expired`, 'Remove it from the configuration or renew it')
    case 'lapsed':
      return warning(subject, `${what} no longer covers findings that have changed`, 'Review the findings and renew it')
    case 'orphaned':
      return warning(subject, `${what} has nothing to cover`, 'Check its entity, or remove it from the configuration')
    case 'active':
      return expiresAt - at > soonMs
        ? null
        : warning(
            subject,
            `${what} ends in ${describeDuration(expiresAt - at)}`,
            'Fix the finding or renew the waiver in time',
          )
    default:
      throw new TypeError(`Unknown state ${state satisfies never}`)
  }
}
