import type { MirrorRecord } from '../mirror/query.ts'
import { isoMs } from '../model/dates.ts'
import { digestOf } from './digest.ts'

type Evidence = Readonly<Record<string, unknown>>

/**
 * Evidence of whom a user's or client's id belongs to: an id may be given to somebody else. Of the e-mail it holds a
 * digest alone, as evidence outlives the erasure of names.
 */
export function identityOf({ key, fields }: MirrorRecord): { readonly identity: Evidence } {
  const { createdAt = null, email } = fields
  if (typeof email !== 'string') return { identity: { createdAt } }
  const emailDigest = digestOf([key, email.normalize('NFC').trim().toLowerCase()]).slice(0, 16)
  return { identity: { createdAt, emailDigest } }
}

/**
 * False when two pieces of evidence are about different people or clients with one id: these were created at different
 * times. Another e-mail alone is a fact that changed. True where either does not say.
 */
export function isSameEntity(known: Evidence, present: Evidence): boolean {
  const [before, after] = [createdAtOf(known), createdAtOf(present)]
  return before === null || after === null || before === after
}

function createdAtOf({ identity }: Evidence): number | null {
  const { createdAt } = (typeof identity === 'object' && identity !== null ? identity : {}) as Evidence
  return typeof createdAt === 'string' ? isoMs(createdAt) : null
}
