import type { Breadth, TenantPosture, WaiverState } from '../model/posture.ts'
import { printable } from '../model/text/printable.ts'

/** Waivers that need a look: they cover nothing any more, or more than was looked at when they were agreed. */
export function waiverNotes(postures: readonly TenantPosture[]): readonly string[] {
  return postures.flatMap(({ tenant, waivers }) =>
    waivers.flatMap(({ id, owner, state, covered, lapsed, breadth }) => {
      const oddities = [
        ...(state === 'active' ? [] : [stateWords[state]]),
        ...(lapsed > 0 ? [`${lapsed} findings are not what it accepted any more`] : []),
        ...breadth.map((way) => breadthWords[way]),
      ]
      const covers = covered > 0 ? ` (it covers ${covered})` : ''
      return oddities.length === 0
        ? []
        : [printable(`${tenant}: waiver ${id} of ${owner}${covers}: ${oddities.join('; ')}`)]
    }),
  )
}

const stateWords = {
  expired: 'it has expired',
  lapsed: 'it has lapsed',
  orphaned: 'there is nothing for it to cover',
} as const satisfies Record<Exclude<WaiverState, 'active'>, string>

const breadthWords = {
  entities: 'it covers many entities',
  later: 'it covers findings that were opened after it was agreed',
  moreSevere: 'it covers findings that are more severe than when they were accepted',
} as const satisfies Record<Breadth, string>
