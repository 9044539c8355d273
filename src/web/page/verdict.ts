import type { TenantPosture } from '../../model/posture.ts'
import type { Tally } from '../tally.ts'
import { isUnstored, type Trust } from '../trust.ts'
import type { Tone } from './badge.ts'
import { plural } from './text.ts'

export interface Verdict {
  readonly tone: Tone
  readonly sentence: string
}

/** The one sentence of a tenant. Green needs full trust, no failing check and none that cannot be judged. */
export function verdict(posture: TenantPosture, trust: Trust, { checks }: Tally): Verdict {
  const wrong = [
    ...(checks.fail > 0 ? [`${plural(checks.fail, 'check')} ${checks.fail === 1 ? 'fails' : 'fail'}`] : []),
    ...(checks.unknown > 0 ? [`${plural(checks.unknown, 'check')} cannot be judged`] : []),
  ]
  const known = {
    full: 'the data is complete and fresh',
    partial: `the data can be trusted for ${trust.trusted} of ${plural(trust.of, 'resource')}`,
    none: 'no data can be trusted',
  }[trust.level]
  const unstored = isUnstored(posture)
  if (wrong.length === 0 && trust.level === 'full' && !unstored && checks.pass > 0)
    return { tone: 'good', sentence: `All ${plural(checks.pass, 'judged check')} pass, and ${known}.` }
  const tone = checks.fail > 0 || posture.holds.length > 0 ? 'bad' : 'blind'
  const start = wrong.length === 0 ? 'No check fails' : wrong.join(', ')
  const data = unstored ? 'nothing new can be stored, so all of this is of the time before' : known
  return { tone, sentence: `${start}; ${data}.` }
}
