import type { FindingRow } from '../../mirror/port.ts'
import { digestOf } from '../digest.ts'

/** `expectedFrom` of evidence whose expected state is configured, so that no operator can accept another. */
export const configuredBaseline = 'accepted baseline'

const fingerprintLength = 12
const digestLength = 8

/** In lower case: enough of a fingerprint to find it, optionally with the digest of a state. */
export const driftIdPattern = /^([\da-f]{6,32})(?:-([\da-f]*))?$/

/**
 * Names the state that a finding of drift shows: its fingerprint, shortened, and a digest of `present`. A fingerprint
 * alone stays the same while the drift grows. Null when no operator can accept the finding.
 */
export function driftIdOf({ fingerprint, evidence }: Pick<FindingRow, 'fingerprint' | 'evidence'>): string | null {
  const { expectedFrom, present = null } = evidence
  if (typeof expectedFrom !== 'string' || expectedFrom === configuredBaseline) return null
  return `${fingerprint.slice(0, fingerprintLength)}-${digestOf(present).slice(0, digestLength)}`
}
