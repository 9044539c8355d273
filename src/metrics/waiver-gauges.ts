import { type TenantPosture, type WaiverView, waiverStates } from '../model/posture.ts'
import { labelText } from './label-text.ts'
import { fromMirror, type PostureGauge } from './posture-gauge.ts'

export const waiverGauges: readonly PostureGauge[] = [
  {
    name: 'tenantwatch_waiver_findings',
    help: `Open findings that the waiver covers; a finding that two waivers cover counts for both. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    each: (posture, add) => eachWaiver(posture, ({ covered }, ...labels) => add(covered, ...labels)),
  },
  {
    name: 'tenantwatch_waiver_lapsed_findings',
    help: `Open findings that the waiver no longer covers because the accepted facts changed, and that no other waiver covers. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    each: (posture, add) => eachWaiver(posture, ({ lapsed }, ...labels) => add(lapsed, ...labels)),
  },
  {
    name: 'tenantwatch_waiver_state',
    help: `State set of the waiver: 1 for its present state, 0 for the others; lapsed = the accepted facts changed, orphaned = the check is disabled or the entity does not exist. ${fromMirror}`,
    labelNames: ['check', 'waiver', 'state'],
    each: (posture, add) =>
      eachWaiver(posture, (waiver, ...labels) => {
        for (const state of waiverStates) add(Number(waiver.state === state), ...labels, state)
      }),
  },
]

/** If two waiver ids have the same label text, only the first has series. */
function eachWaiver(
  { waivers }: TenantPosture,
  take: (waiver: WaiverView, check: string, waiverLabel: string) => void,
): void {
  const named = new Set<string>()
  for (const waiver of waivers) {
    const labels = [labelText(waiver.check), labelText(waiver.id)] as const
    const key = JSON.stringify(labels)
    if (named.has(key)) continue
    named.add(key)
    take(waiver, ...labels)
  }
}
