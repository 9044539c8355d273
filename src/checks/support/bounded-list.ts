import { digestOf } from '../../evaluate/digest.ts'
import { memoizeWeakly } from '../../model/memoize.ts'
import type { MirroredRole } from './roles.ts'
import { listed } from './words.ts'

type Evidence = Readonly<Record<string, unknown>>

/** Every finding stores its evidence, so longer lists are stored as beginning, length and digest. */
const longestList = 20

export function boundedList(name: string, all: readonly unknown[]): Evidence {
  if (all.length <= longestList) return { [name]: all }
  const digest = digestOf(all).slice(0, 16)
  return { [name]: all.slice(0, longestList), [`${name}Count`]: all.length, [`${name}Digest`]: digest }
}

/** Facts of these roles as evidence. */
export const rolesEvidence = memoizeWeakly((roles: readonly MirroredRole[]): Evidence => {
  return boundedList(
    'roles',
    roles.map(({ facts }) => facts),
  )
})

export interface Excess {
  /** Empty when the roles grant no such code. */
  readonly codes: string
  readonly evidence: Evidence
}

/** Codes that roles grant in excess, and these roles. */
export function excessOf(roles: readonly MirroredRole[], isExcess: (code: string) => boolean): Excess {
  const offending = roles.filter((role) => role.codes.some(isExcess))
  const codes = [...new Set(offending.flatMap((role) => role.codes.filter(isExcess)))].sort()
  return { codes: listed(codes), evidence: { ...boundedList('excess', codes), ...rolesEvidence(offending) } }
}
