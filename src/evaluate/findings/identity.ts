import { hash } from 'node:crypto'
import { shortFingerprint } from '../../model/finding.ts'
import { isObject } from '../../model/text/json.ts'
import { mayBeOneSecond } from '../../model/time.ts'
import type { FindingRow } from '../../store/port.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import { digestOf } from '../digest.ts'

type Evidence = Readonly<Record<string, unknown>>

/**
 * Evidence that identifies an entity, because the tenant may reassign an id. Contains a digest of the e-mail address,
 * because evidence outlives personal data.
 */
export function identityOf({ key, fields }: MirrorRecord): { readonly identity: Evidence } {
  const { createdAt = null, email } = fields
  if (email === undefined) return { identity: { createdAt } }
  if (typeof email !== 'string') return { identity: { createdAt, emailDigest: null } }
  const text = JSON.stringify([key, email.normalize('NFC').trim().toLowerCase()])
  return { identity: { createdAt, emailDigest: hash('sha256', text).slice(0, 16) } }
}

/**
 * False if both e-mail address and second of creation differ; if only one differs, a fact or its notation changed. A
 * client has no e-mail address, so the second of creation decides. True if a value is missing.
 */
export function isSameEntity(known: Evidence, present: Evidence): boolean {
  const [before, after] = [identityIn(known), identityIn(present)]
  if (typeof after['emailDigest'] === 'string' && after['emailDigest'] === before['emailDigest']) return true
  return mayBeOneSecond(before['createdAt'], after['createdAt'])
}

function identityIn({ identity }: Evidence): Evidence {
  return isObject(identity) ? identity : {}
}

/** `expectedFrom` of evidence whose expected state is configured, so that an operator cannot accept another one. */
export const configuredBaseline = 'configured baseline'

const digestLength = 8

/** In lower case: the beginning of a fingerprint, optionally with the digest of a state. */
export const driftIdPattern = /^([\da-f]{6,32})(?:-([\da-f]*))?$/

/**
 * Id of the state in a drift finding: its short fingerprint and a digest of `present`, because the fingerprint stays
 * the same while the drift grows. Null if an operator cannot accept the finding.
 */
export function driftIdOf({ fingerprint, evidence }: Pick<FindingRow, 'fingerprint' | 'evidence'>): string | null {
  const { expectedFrom, present = null } = evidence
  if (typeof expectedFrom !== 'string' || expectedFrom === configuredBaseline) return null
  return `${shortFingerprint(fingerprint)}-${digestOf(present).slice(0, digestLength)}`
}
