import type { ServiceAnswer } from './service.ts'

type Body = Record<string, unknown>

const idFields = ['userId', 'fileId', 'clientId', 'roleId', 'permissionId'] as const

/** The id of a record as the world knows it; the record of the settings has none. */
export function idOfBody(body: Body): string | null {
  const field = idFields.find((name) => name in body)
  return field === undefined ? null : String(body[field]).toLowerCase()
}

/** A share of all records, the same ones for as long as the spell lasts. */
export function isChosen(id: string, detail: number): boolean {
  let hash = detail
  for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0
  return (hash >>> 3) % 3 === 0
}

/** The answer with each record that is chosen replaced. */
export function withRecords(answer: ServiceAnswer, change: (body: Body, id: string) => Body): ServiceAnswer {
  const { data } = answer
  const one = (body: unknown) => (isBody(body) ? change(body, idOfBody(body) ?? '0') : body)
  return { ...answer, data: Array.isArray(data) ? (data as unknown[]).map(one) : one(data) }
}

const farFuture = '9999-12-31T23:59:59Z'

/** One date of the record in the year 9999; which one hangs on the record. */
export function withFarDate(body: Body, id: string): Body {
  const fields = ['createdAt', 'updatedAt'].filter((name) => name in body)
  const field = fields[id.length > 1 && id.charCodeAt(1) % 2 === 0 ? fields.length - 1 : 0]
  return field === undefined ? body : { ...body, [field]: farFuture }
}

/** The record with fields that nobody described. */
export const withSecrets = (body: Body): Body => ({ ...body, ...secretFields })

/** A copy of a record with the same id and other values. */
export function contradicting(body: Body): Body {
  if ('mfaStatus' in body) return { ...body, mfaStatus: body['mfaStatus'] !== true }
  if ('secretExpirationDate' in body) {
    const days = Date.parse(String(body['secretExpirationDate'])) > Date.parse('2026-05-01') ? -80 : 80
    const date = new Date(Date.parse('2026-05-01') + days * 86_400_000).toISOString()
    return { ...body, secretExpirationDate: date }
  }
  if ('uploadStatus' in body)
    return { ...body, uploadStatus: body['uploadStatus'] === 'Completed' ? 'Processing' : 'Completed' }
  if ('permissions' in body) return { ...body, state: body['state'] === 'Active' ? 'Inactive' : 'Active' }
  return { ...body, code: `${String(body['code'])}_Create` }
}

const wrongTexts: readonly unknown[] = [5, true, {}, [], 0]

/** Authentication settings of which one text is none. */
export function withWrongText(body: Body, detail: number): Body {
  return { ...body, [detail % 2 === 0 ? 'providerType' : 'tenantName']: wrongTexts[detail % wrongTexts.length] }
}

/** All roles without what they grant. */
export const withoutPermissions = (body: Body): Body => ('permissions' in body ? { ...body, permissions: [] } : body)

const unreadableTimes: readonly unknown[] = ['22.11.2026 10:00', null, 0, 'soon', '2026-02-30T00:00:00Z']

/** Unreadable values of `meta.timestamp`; undefined leaves it out. */
export const unreadableTime = (detail: number): unknown => unreadableTimes[detail % (unreadableTimes.length + 1)]

/** By how much a server time is wrong, in milliseconds. */
export function wrongTimeMs(detail: number): number {
  const sizes = [10 * 60_000, 3 * 3_600_000, 3 * 86_400_000, 366 * 86_400_000, 20_000 * 86_400_000]
  const size = sizes[(detail >> 1) % sizes.length] ?? 0
  return detail % 2 === 0 ? size : -size
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Values that must never be stored or logged, under names or in forms that give them away
 * (docs/internals/sync.md#15-record).
 */
export const canaries = [
  'canary-client-secret-1',
  'canary-content-2',
  'canary-signature-3',
  'canary-nested-key-4',
  'canary-long-text-5',
  '5ec7e7c0ffee5ec7e7c0ffee5ec7e7c0ffee5ec7',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ',
] as const

const [clientSecret, content, signature, nested, long, hex, jwt] = canaries

/** An e-mail address in the name of a field, which no log line may carry. */
export const namedPerson = 'canary.person@acme.test'

/** Fields that the specification does not have. */
export const secretFields: Readonly<Record<string, unknown>> = {
  clientSecret,
  content,
  downloadUrl: `https://files.test/file?sig=${signature}`,
  integration: { steps: [{ api_key: nested }] },
  remark: `${long} `.repeat(20),
  reference: hex,
  note: jwt,
  [`notes of ${namedPerson}`]: 'none',
}
