import * as z from 'zod'
import type { RequestRecord } from './requests.ts'
import { tenantNames } from './seed-access.ts'

const headers = z.record(z.string(), z.string()).optional()
const count = z.int().min(0)
const status = z.int().min(200).max(599)

const effects = [
  z.strictObject({
    kind: z.literal('status'),
    status,
    code: z.string().optional(),
    message: z.string().optional(),
    headers,
  }),
  z.strictObject({
    kind: z.literal('body'),
    body: z.string(),
    status: status.optional(),
    contentType: z.string().optional(),
    headers,
  }),
  z.strictObject({ kind: z.literal('delay'), ms: count }),
  z.strictObject({ kind: z.literal('hang') }),
  /** Resets the connection: before the endpoint runs, after it ran but before the answer, or in the middle of the body. */
  z.strictObject({ kind: z.literal('reset'), when: z.enum(['before', 'unanswered', 'mid']) }),
  /** Sends these bytes, including the status line, and closes the connection. */
  z.strictObject({ kind: z.literal('raw'), bytes: z.string() }),
  /** Sets one member of the envelope, such as `meta.requestId`; without a value, leaves it out. */
  z.strictObject({ kind: z.literal('set'), path: z.string(), value: z.unknown().optional() }),
  /** No records and `hasMore` false; for API clients the specification allows this as "could not be completed". */
  z.strictObject({ kind: z.literal('empty') }),
  /** Leaves records out of lists; reading one by its id still finds it. */
  z.strictObject({ kind: z.literal('drop'), ids: z.array(z.union([z.string(), z.number()])).readonly() }),
  z.strictObject({ kind: z.literal('ignore-cursor') }),
  z.strictObject({ kind: z.literal('clock-skew'), ms: z.int() }),
] as const

/** The envelope of every response ("Response envelope"); loose, because faults reshape it. */
export interface Envelope {
  data: unknown
  pagination: unknown
  error: unknown
  meta: unknown
}

const effectSchema = z.discriminatedUnion('kind', effects, {
  error: ({ code }) =>
    code === 'invalid_union'
      ? `expected a kind of ${effects.map(({ shape }) => shape.kind.value).join(', ')}`
      : undefined,
})

/** What a fault does; a function that rewrites the envelope only in process. */
export type FaultEffect =
  | z.infer<typeof effectSchema>
  | { readonly kind: 'transform'; readonly transform: (envelope: Envelope) => unknown }

type EffectKind = FaultEffect['kind']
export type EffectOf<K extends EffectKind> = Extract<FaultEffect, { readonly kind: K }>

const matchSchema = z.strictObject({
  method: z.string().optional(),
  /** A path template (`/api/public/users/{id}`), an exact path, or a prefix that ends in `*`. */
  path: z.string().optional(),
  tenant: z.enum(tenantNames).optional(),
  /** Page number within the list, from 1. */
  page: count.optional(),
  hasCursor: z.boolean().optional(),
  /** Only the n-th matching request. */
  nth: count.optional(),
  /** At most so many requests. */
  times: count.optional(),
})

/** A fault as the control API takes it. */
export const faultSchema = matchSchema.extend({ effect: effectSchema })

export interface Fault extends Readonly<z.infer<typeof matchSchema>> {
  readonly effect: FaultEffect
}

export interface ActiveFault extends Fault {
  readonly id: string
  /** Matching requests, before `nth` and `times` apply. */
  matched: number
  hits: number
}

function matches({ method, path, tenant, page, hasCursor }: Fault, request: RequestRecord): boolean {
  const isPath = path?.endsWith('*')
    ? request.path.startsWith(path.slice(0, -1))
    : path === undefined || path === request.path || path === request.endpoint
  return (
    isPath &&
    (method ?? request.method) === request.method &&
    (tenant ?? request.tenant) === request.tenant &&
    (page ?? request.page) === request.page &&
    (hasCursor === undefined || hasCursor === (request.cursor !== null))
  )
}

/** The faults in place. */
export class Faults {
  readonly #active = new Map<string, ActiveFault>()
  #made = 0

  add(fault: Fault): ActiveFault {
    const added: ActiveFault = { ...fault, id: `fault-${++this.#made}`, matched: 0, hits: 0 }
    this.#active.set(added.id, added)
    return added
  }

  remove(id: string): boolean {
    return this.#active.delete(id)
  }

  clear(): void {
    this.#active.clear()
  }

  list(): readonly ActiveFault[] {
    return [...this.#active.values()]
  }

  /** Counts and returns the effects that apply to a request, in the order the faults were added. */
  apply(request: RequestRecord): FaultEffect[] {
    const applied = this.list().filter((fault) => {
      if (!matches(fault, request)) return false
      fault.matched++
      return fault.matched === (fault.nth ?? fault.matched) && fault.hits < (fault.times ?? Infinity)
    })
    for (const fault of applied) {
      fault.hits++
      request.faults.push(fault.id)
    }
    return applied.map(({ effect }) => effect)
  }
}

type Members = Readonly<Record<string, unknown>>

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The envelope after an effect. */
export function reshape(envelope: unknown, effect: FaultEffect): unknown {
  if (!isMembers(envelope)) return envelope
  const { data, pagination } = envelope
  switch (effect.kind) {
    case 'transform':
      return effect.transform({ ...envelope } as unknown as Envelope)
    case 'set':
      return setMember(envelope, effect.path.split('.'), effect.value)
    case 'drop':
      return Array.isArray(data)
        ? { ...envelope, data: data.filter((record) => !isOneOf(record, effect.ids)) }
        : envelope
    case 'empty': {
      const end = isMembers(pagination) ? { ...pagination, nextCursor: null, hasMore: false } : null
      return { ...envelope, data: [], pagination: end }
    }
    default:
      return envelope
  }
}

const idFields = ['userId', 'fileId', 'clientId', 'roleId', 'permissionId']

function isOneOf(record: unknown, ids: readonly (string | number)[]): boolean {
  if (!isMembers(record)) return false
  const id = record[idFields.find((name) => name in record) ?? '']
  return ids.some((one) => String(one).toLowerCase() === String(id).toLowerCase())
}

function setMember(target: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  const members = isMembers(target) ? target : {}
  return { ...members, [name]: rest.length === 0 ? value : setMember(members[name], rest, value) }
}
