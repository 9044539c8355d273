import { dayMs, describeDuration } from '../model/durations.ts'
import type { TenantPosture, WaiverView } from '../model/posture.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

const soonMs = 14 * dayMs
const subject = 'waivers'

/** Waivers that end soon, have ended, or cover nothing; one line each. */
export function diagnoseWaivers({ waivers, at }: TenantPosture): readonly Diagnosis[] {
  const odd = waivers.flatMap((waiver) => evaluated(waiver, at) ?? [])
  return odd.length > 0 || waivers.length === 0 ? odd : [fine(subject, `${waivers.length} in force`)]
}

function evaluated({ id, check, entity, expiresAt, state }: WaiverView, at: number): Diagnosis | null {
  const what = `${id} (${check}, ${entity})`
  switch (state) {
    case 'expired':
      return warning(subject, `${what} has expired`, 'Take it out of the configuration, or agree on it anew')
    case 'lapsed':
      return warning(subject, `${what} no longer covers what has changed since`, 'Look at the finding and agree anew')
    case 'orphaned':
      return warning(subject, `${what} has nothing to cover`, 'Check its entity, or take it out of the configuration')
    case 'active':
      return expiresAt - at > soonMs
        ? null
        : warning(
            subject,
            `${what} ends in ${describeDuration(expiresAt - at)}`,
            'Fix the finding or agree anew in time',
          )
    default:
      throw new TypeError(`Unknown state ${state satisfies never}`)
  }
}
