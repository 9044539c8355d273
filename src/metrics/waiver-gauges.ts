import { type TenantPosture, type WaiverView, waiverStates } from '../model/posture.ts'
import type { Sample } from './family.ts'
import { labelText } from './label-text.ts'
import { fromMirror, type PostureGauge } from './posture-gauge.ts'

/** What has become of the waivers of the configuration, in alphabetical order. */
export const waiverGauges: readonly PostureGauge[] = [
  {
    name: 'tenantwatch_waiver_findings',
    help: `Open findings that the waiver covers now; one that another covers, too, counts for both. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    samples: (posture) => eachWaiver(posture, ({ covered }) => [{ labels: {}, value: covered }]),
  },
  {
    name: 'tenantwatch_waiver_lapsed_findings',
    help: `Open findings that the waiver covers no longer, because what it accepted has changed. ${fromMirror}`,
    labelNames: ['check', 'waiver'],
    samples: (posture) => eachWaiver(posture, ({ lapsed }) => [{ labels: {}, value: lapsed }]),
  },
  {
    name: 'tenantwatch_waiver_state',
    help: `State set of the waiver: 1 for its present state, 0 for the others; lapsed = what it accepted has changed, orphaned = there is nothing for it to cover. ${fromMirror}`,
    labelNames: ['check', 'waiver', 'state'],
    samples: (posture) =>
      eachWaiver(posture, (waiver) =>
        waiverStates.map((state) => ({ labels: { state }, value: Number(waiver.state === state) })),
      ),
  },
]

/** Two ids that are the same once they are fit for a label are one series: that of the first. */
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
