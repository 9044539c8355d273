import type { ResourceName } from '../../src/model/resource-names.ts'

/** Conditions that last for a while in which answers are well formed and yet not the truth. */
export const falseAnswers = [
  /** A load balancer answers some requests from another tenant. */
  'mixed-tenants',
  /** A cache replays old answers of one resource, or of all. */
  'cached-resource',
  'cached-tenant',
  /** `meta.timestamp` is far ahead or behind, of one resource or of all; does not advance; cannot be read. */
  'wrong-time',
  'wrong-time-resource',
  'frozen-time',
  'unreadable-time',
  /** A list loses a few records at a time that still exist, and the look-up by id denies them, too. */
  'bleeding-list',
  /** All roles come without permissions. */
  'empty-permissions',
  /** Dates of the year 9999. */
  'far-dates',
  /** Fields that the specification does not have, with what must never be stored. */
  'secret-fields',
  /** `providerType` and `tenantName` are neither a string nor null. */
  'wrong-settings-types',
  /** The first page of a list is right and announces more; every later request is answered with an empty end. */
  'empty-later-pages',
  /** One id comes twice with different values: on one page or on two, either order. */
  'double-ids',
  /** Each page after the first begins one record too late: a tie of the order, or an offset that a deletion moved. */
  'boundary-shift',
  /** GET /users/{id} gives an older version than the list. */
  'lagging-details',
] as const

export type FalseAnswer = (typeof falseAnswers)[number]

/** Those that need nothing known before to be noticed; the others begin when every resource was read once. */
export const noticedAtOnce: ReadonlySet<string> = new Set<FalseAnswer>([
  'far-dates',
  'secret-fields',
  'unreadable-time',
  'wrong-settings-types',
  'double-ids',
])

/** Lists in pages by the detail of a spell. */
export const feedOf = (detail: number) => (['users', 'documents', 'api-clients'] as const)[detail % 3] ?? 'users'

const bySix: readonly ResourceName[] = [
  'users',
  'documents',
  'api-clients',
  'roles',
  'permissions',
  'authentication-settings',
]

/** One resource by the detail of a spell. */
export const resourceOfDetail = (detail: number): ResourceName => bySix[detail % bySix.length] ?? 'users'
