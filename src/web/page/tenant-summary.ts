import type { TenantPosture } from '../../model/posture.ts'
import { type DataQuality, isUnstored } from '../data-quality.ts'
import type { Tally } from '../tally.ts'
import type { Tone } from './badge.ts'
import { plural } from './text.ts'

export interface TenantSummary {
  readonly tone: Tone
  readonly sentence: string
}

/** A tenant in one sentence. Green requires full data quality, and that no check fails or is unknown. */
export function tenantSummary(posture: TenantPosture, quality: DataQuality, { checks }: Tally): TenantSummary {
  const wrong = [
    ...(checks.fail > 0 ? [`${plural(checks.fail, 'check')} ${checks.fail === 1 ? 'fails' : 'fail'}`] : []),
    ...(checks.unknown > 0 ? [`${plural(checks.unknown, 'check')} cannot be evaluated`] : []),
  ]
  const known = {
    full: 'the data is complete and fresh',
    partial: `the data of ${quality.fresh} of ${plural(quality.of, 'resource')} is complete and fresh`,
    none: 'no data is complete and fresh',
  }[quality.level]
  const unstored = isUnstored(posture)
  if (wrong.length === 0 && quality.level === 'full' && !unstored && checks.pass > 0)
    return { tone: 'good', sentence: `All ${plural(checks.pass, 'evaluated check')} pass, and ${known}.` }
  const tone = checks.fail > 0 || posture.holds.length > 0 ? 'bad' : 'unknown'
  const start = wrong.length === 0 ? 'No check fails' : wrong.join(', ')
  const data = unstored ? 'new data cannot be stored, so this page shows older data' : known
  return { tone, sentence: `${start}; ${data}.` }
}
