import type { Fetched } from '../api/reader.ts'
import { isoMs } from '../model/dates.ts'
import { dayMs, describeDuration } from '../model/durations.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

const subject = 'own client'
const soonMs = 30 * dayMs

/** The expiry of the secret that tenantwatch itself uses; null when the first page of API clients does not contain it. */
export function diagnoseOwnClient({ items }: Fetched, ownClientId: string, now: number): Diagnosis | null {
  const own = items.find((item) => item.ok && text(item.record, 'clientId')?.toLowerCase() === ownClientId)
  const expiresAt = own?.ok === true ? isoMs(text(own.record, 'secretExpirationDate')) : null
  if (expiresAt === null) return null
  const left = expiresAt - now
  const day = new Date(expiresAt).toISOString().slice(0, 10)
  const advice =
    'Create a new secret in the portal and put it where the token comes from: without it every check is unknown'
  if (left <= 0) return failure(subject, `its secret expired on ${day}`, advice)
  const sentence = `its secret expires on ${day}, in ${describeDuration(left)}`
  return left <= soonMs ? warning(subject, sentence, advice) : fine(subject, sentence)
}

function text(record: object, field: string): string | undefined {
  const value: unknown = Reflect.get(record, field)
  return typeof value === 'string' ? value : undefined
}
