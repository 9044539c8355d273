import type { TenantPosture } from '../../model/posture.ts'
import { type DataQuality, isUnstored } from '../data-quality.ts'
import type { Tally } from '../tally.ts'
import type { Tone } from './badge.ts'
import { plural } from './text.ts'

export interface CheckResult {
  readonly tone: Tone
  readonly sentence: string
}

/** The one sentence of a tenant. Green needs full trust, no failing check and none that cannot be evaluated. */
export function checkResult(posture: TenantPosture, quality: DataQuality, { checks }: Tally): CheckResult {
  const wrong = [
    ...(checks.fail > 0 ? [`${plural(checks.fail, 'check')} ${checks.fail === 1 ? 'fails' : 'fail'}`] : []),
    ...(checks.unknown > 0 ? [`${plural(checks.unknown, 'check')} cannot be evaluated`] : []),
  ]
  const known = {
    full: 'the data is complete and fresh',
    partial: `the data can be trusted for ${quality.trusted} of ${plural(quality.of, 'resource')}`,
    none: 'no data can be trusted',
  }[quality.level]
  const unstored = isUnstored(posture)
  if (wrong.length === 0 && quality.level === 'full' && !unstored && checks.pass > 0)
    return { tone: 'good', sentence: `All ${plural(checks.pass, 'evaluated check')} pass, and ${known}.` }
  const tone = checks.fail > 0 || posture.holds.length > 0 ? 'bad' : 'blind'
  const start = wrong.length === 0 ? 'No check fails' : wrong.join(', ')
  const data = unstored ? 'nothing new can be stored, so all of this is of the time before' : known
  return { tone, sentence: `${start}; ${data}.` }
}
