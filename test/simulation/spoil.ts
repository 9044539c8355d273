import type { Prng } from './prng.ts'
import type { ServiceAnswer } from './service.ts'
import type { RequestFault } from './weather.ts'

type Body = Record<string, unknown>

/** An answer with a fault of its content; null when the fault does not fit it. */
export interface Spoilt {
  readonly text: (meta: Body) => string
  /** Ids of records that were shown malformed. */
  readonly malformed: readonly string[]
}

/** The envelope of an answer (docs/internals/api.md#envelope). */
export function envelope({ data, pagination, code }: ServiceAnswer, meta: Body): Body {
  return { data, pagination, error: code === null ? null : { code, message: 'No' }, meta }
}

/** Lays a fault of content upon a sound answer. */
export function spoil(fault: RequestFault, answer: ServiceAnswer, prng: Prng): Spoilt | null {
  const { data, pagination } = answer
  const with_ = (change: Partial<ServiceAnswer>, malformed: readonly string[] = []): Spoilt => ({
    text: (meta) => JSON.stringify(envelope({ ...answer, ...change }, meta)),
    malformed,
  })
  switch (fault) {
    case 'not-json':
      return { text: () => '<html><body>Please sign in</body></html>', malformed: [] }
    case 'cut-json':
      return { text: (meta) => JSON.stringify(envelope(answer, meta)).slice(0, -prng.between(1, 40)), malformed: [] }
    case 'no-envelope':
      return { text: () => JSON.stringify(data), malformed: [] }
    case 'null-data':
      return with_({ data: null })
    case 'error-in-success':
      return with_({ code: 'INTERNAL_ERROR' })
    case 'malformed-record':
    case 'unreadable-id':
      return malformed(fault, answer, prng)
    case 'wrong-record':
      return isBody(data) && 'userId' in data ? with_({ data: { ...data, userId: 7_000_000 } }) : null
    case 'no-pagination':
      return pagination === null ? null : with_({ pagination: null })
    case 'odd-has-more':
      return pagination === null ? null : with_({ pagination: { ...pagination, hasMore: 'false' } })
    case 'more-without-cursor':
      return pagination === null ? null : with_({ pagination: { ...pagination, hasMore: true, nextCursor: null } })
    default:
      return null
  }
}

const flaws: readonly (readonly [field: string, value: unknown])[] = [
  ['mfaStatus', 'false'],
  ['createdAt', '2026-02-30T00:00:00Z'],
  ['secretExpirationDate', 1],
  ['ssoEnforced', 'true'],
  ['mfaEnabled', 1],
  ['state', null],
  ['permissions', null],
  ['code', 7],
  ['roleName', {}],
  ['uploadStatus', false],
]

function malformed(fault: RequestFault, answer: ServiceAnswer, prng: Prng): Spoilt | null {
  const { data, shown } = answer
  const list = Array.isArray(data) ? (data as unknown[]) : [data]
  if (list.length === 0) return null
  const at = prng.between(0, list.length - 1)
  const victim = list[at]
  if (!isBody(victim)) return null
  const ids = ['userId', 'fileId', 'clientId', 'roleId', 'permissionId'].filter((field) => field in victim)
  const idField = ids[0]
  const fitting = flaws.filter(([field]) => field in victim && field !== idField)
  if (fault === 'malformed-record' && fitting.length === 0) return null
  if (fault === 'unreadable-id' && (idField === undefined || !Array.isArray(data))) return null
  const [field, value] = fault === 'unreadable-id' ? [idField ?? '', null] : prng.pick(fitting)
  const spoilt = { ...victim, [field]: value }
  const text = (meta: Body) => {
    const changed = Array.isArray(data) ? list.map((one, i) => (i === at ? spoilt : one)) : spoilt
    return JSON.stringify(envelope({ ...answer, data: changed }, meta))
  }
  if (idField === undefined) return { text, malformed: [] }
  const hit = String(victim[idField]).toLowerCase()
  // Of two records of one id, the other one may be the wrong one, and nothing contradicts it any more.
  const isTwice = list.filter((one) => isBody(one) && String(one[idField]).toLowerCase() === hit).length > 1
  return { text, malformed: isTwice ? [hit] : shown.filter((id) => id === hit) }
}

function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
