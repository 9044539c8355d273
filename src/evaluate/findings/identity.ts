import type { MirrorRecord } from '../../mirror/records/query.ts'
import { isoMs } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { digestOf } from '../digest.ts'

type Evidence = Readonly<Record<string, unknown>>

/** The tenant may reassign an id. A digest replaces the e-mail, because evidence outlives erased personal data. */
export function identityOf({ key, fields }: MirrorRecord): { readonly identity: Evidence } {
  const { createdAt = null, email } = fields
  if (email === undefined) return { identity: { createdAt } }
  if (typeof email !== 'string') return { identity: { createdAt, emailDigest: null } }
  const emailDigest = digestOf([key, email.normalize('NFC').trim().toLowerCase()]).slice(0, 16)
  return { identity: { createdAt, emailDigest } }
}

/**
 * False when both the e-mail and the second of creation differ; if only one differs, a fact or its notation changed.
 * True without e-mail, because a GUID is never reassigned, and when a value is missing.
 */
export function isSameEntity(known: Evidence, present: Evidence): boolean {
  const [before, after] = [identityIn(known), identityIn(present)]
  // Clients have no e-mail: both digests are undefined.
  if (after['emailDigest'] !== null && after['emailDigest'] === before['emailDigest']) return true
  const [created, now] = [secondOf(before), secondOf(after)]
  return created === null || now === null || created === now
}

function identityIn({ identity }: Evidence): Evidence {
  return (typeof identity === 'object' && identity !== null ? identity : {}) as Evidence
}

function secondOf({ createdAt }: Evidence): number | null {
  const ms = typeof createdAt === 'string' ? isoMs(createdAt) : null
  return ms === null ? null : Math.floor(ms / secondMs)
}
