import type { FindingView } from '../model/finding.ts'

/** What a waiver says of a finding, for `explain`. */
export function waiverLines(waiver: FindingView['waiver']): readonly string[] {
  if (waiver === null) return []
  const { id, owner, reason, expires, explanation } = waiver
  return [
    `Waiver       ${id} of ${owner}, until ${expires}: ${reason}`,
    ...(explanation === null ? [] : [`             ${explanation}`]),
  ]
}
