import { type TenantPosture, type WaiverView, waiverStates } from '../model/posture.ts'
import type { Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { fromMirror, type PostureGauge } from './posture-gauge.ts'

export const waiverGauges: readonly PostureGauge[] = [
  {
    name: 'tenantwatch_waiver_findings',
    help: `Open findings that the waiver covers; a finding that two waivers cover counts for both. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    samples: (posture) => eachWaiver(posture, ({ covered }) => [{ labels: {}, value: covered }]),
  },
  {
    name: 'tenantwatch_waiver_lapsed_findings',
    help: `Open findings that the waiver no longer covers because the accepted facts changed, and that no other waiver covers. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    samples: (posture) => eachWaiver(posture, ({ lapsed }) => [{ labels: {}, value: lapsed }]),
  },
  {
    name: 'tenantwatch_waiver_state',
    help: `State set of the waiver: 1 for its present state, 0 for the others; lapsed = the accepted facts changed, orphaned = the check is disabled or the entity does not exist. ${fromMirror}`,
    labelNames: ['check', 'waiver', 'state'],
    samples: (posture) =>
      eachWaiver(posture, (waiver) =>
        waiverStates.map((state) => ({ labels: { state }, value: Number(waiver.state === state) })),
      ),
  },
]

/** If two waiver ids have the same label text, only the first has series. */
function eachWaiver({ waivers }: TenantPosture, samples: (waiver: WaiverView) => readonly Sample[]): Sample[] {
  const named = new Map<string, WaiverView>()
  for (const waiver of waivers) {
    const key = JSON.stringify([waiver.check, labelText(waiver.id)])
    if (!named.has(key)) named.set(key, waiver)
  }
  return [...named.values()].flatMap((waiver) =>
    samples(waiver).map(({ labels, value }) => ({
      labels: { check: labelText(waiver.check), waiver: labelText(waiver.id), ...labels },
      value,
    })),
  )
}
