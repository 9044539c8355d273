import * as z from 'zod'

const timestampStyles = ['z', 'z7', 'no-offset', 'offset'] as const
/** Format of timestamps: milliseconds and `Z`, seven fraction digits and `Z`, no offset, or `+02:00`. */
export type TimestampStyle = (typeof timestampStyles)[number]

const cursorKind = z.enum(['keyset', 'offset'])
export type CursorKind = z.infer<typeof cursorKind>

const size = z.int().min(1)

/**
 * A choice for everything the specification leaves open. The defaults are a plausible service; tests set others to run a
 * client against other plausible services.
 */
export const readingsSchema = z.strictObject({
  /** Name of the request header that carries the token ("Authentication" 1). */
  tokenHeader: z.string().min(1).default('Authorization'),
  /** Word before the token; empty = bare token. */
  tokenScheme: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]*$/, 'expected one word, or nothing')
    .default('Bearer'),
  /** The page-size parameter of users and documents; null = none. */
  pageSizeParameter: z.string().min(1).nullable().default('limit'),
  defaultPageSize: z
    .strictObject({ users: size.default(50), documents: size.default(50), apiClients: size.default(20) })
    .prefault({}),
  /** Greatest page size; that of documents is 200 in the specification ("Limits"). */
  maxPageSize: z.strictObject({ users: size.default(200), documents: size.default(200) }).prefault({}),
  badPageSize: z.enum(['clamp', 'reject']).default('clamp'),
  /** Format of `error`: an object with code and message, an array of these, a string, or a nested object. */
  errorShape: z.enum(['object', 'array', 'string', 'nested']).default('object'),
  /** Whether error responses use the envelope; if not, the error value is the whole body. */
  errorEnvelope: z.boolean().default(true),
  cursorKind: z
    .strictObject({
      users: cursorKind.default('keyset'),
      documents: cursorKind.default('keyset'),
      apiClients: cursorKind.default('offset'),
    })
    .prefault({}),
  cursorBoundToTenant: z.boolean().default(true),
  lastPageCursor: z
    .strictObject({
      users: z.boolean().default(true),
      documents: z.boolean().default(true),
      apiClients: z.boolean().default(false),
    })
    .prefault({}),
  /** Format of the missing next cursor on the last page. */
  absentCursor: z.enum(['null', 'empty', 'missing']).default('null'),
  /** Whether `hasMore` is true on every full page, even on the last one. */
  hasMoreWhenFull: z.boolean().default(false),
  /** `updatedAt` moves a changed document to the end; with other orders, changes do not reappear. */
  documentOrder: z.enum(['updatedAt', 'createdAt', 'fileId']).default('updatedAt'),
  /** Whether `updatedAfter` uses `createdAt` of a document with `updatedAt` null, or excludes it. */
  updatedAfterNulls: z.enum(['createdAt', 'exclude']).default('createdAt'),
  usersUpdatedAfter: z.enum(['ignored', 'createdAt']).default('ignored'),
  inactiveRoleState: z.string().min(1).default('Inactive'),
  requestIdCasing: z.enum(['lower', 'upper']).default('lower'),
  /** Casing of `clientId` and `fileId`; `alternate` changes it with every response. */
  guidCasing: z.enum(['lower', 'upper', 'alternate']).default('lower'),
  timestamps: z.enum(timestampStyles).default('z'),
  /** Style of `meta.timestamp`, always UTC. */
  metaTimestamps: z.enum(['z', 'z7', 'no-offset']).default('z'),
  /** Whether records, envelope and pagination have fields that are not in the specification. */
  unknownFields: z.boolean().default(false),
})

export type Readings = z.output<typeof readingsSchema>

/** Some of the readings; of a reading a feed, some of the feeds. */
export type ReadingsInput = z.input<typeof readingsSchema>

/** `base` with other readings. Throws a ZodError. */
export function mergeReadings(base: Readings, input: ReadingsInput): Readings {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(input)) {
    const isPerFeed = typeof value === 'object' && value !== null
    merged[name] = isPerFeed ? { ...Object(merged[name]), ...value } : value
  }
  return readingsSchema.parse(merged)
}
