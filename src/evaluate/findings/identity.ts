import type { MirrorRecord } from '../../mirror/records/query.ts'
import { isoMs } from '../../model/dates.ts'
import { secondMs } from '../../model/durations.ts'
import { digestOf } from '../digest.ts'

type Evidence = Readonly<Record<string, unknown>>

/**
 * Evidence of whom a user's or client's id belongs to: that of a user may be given to somebody else. Of the e-mail it
 * holds a digest alone, as evidence outlives the erasure of names.
 */
export function identityOf({ key, fields }: MirrorRecord): { readonly identity: Evidence } {
  const { createdAt = null, email } = fields
  if (email === undefined) return { identity: { createdAt } }
  if (typeof email !== 'string') return { identity: { createdAt, emailDigest: null } }
  const emailDigest = digestOf([key, email.normalize('NFC').trim().toLowerCase()]).slice(0, 16)
  return { identity: { createdAt, emailDigest } }
}

/**
 * False when two pieces of evidence are about different people with one id: these have another e-mail and were created
 * in another second. One of the two alone is a fact that changed, or was written in another way. True of what has no
 * e-mail at all, for a GUID is never given to another one, and where either does not say.
 */
export function isSameEntity(known: Evidence, present: Evidence): boolean {
  const [before, after] = [whoIs(known), whoIs(present)]
  // Neither client has one.
  if (after['emailDigest'] !== null && after['emailDigest'] === before['emailDigest']) return true
  const [created, now] = [secondOf(before), secondOf(after)]
  return created === null || now === null || created === now
}

function whoIs({ identity }: Evidence): Evidence {
  return (typeof identity === 'object' && identity !== null ? identity : {}) as Evidence
}

function secondOf({ createdAt }: Evidence): number | null {
  const ms = typeof createdAt === 'string' ? isoMs(createdAt) : null
  return ms === null ? null : Math.floor(ms / secondMs)
}
