import type { List, ListFactory } from './list.ts'
import type { TenantSizes } from './options.ts'
import { OrderedStore } from './ordered-store.ts'
import type { Readings } from './readings.ts'
import { documentKey, seedDocuments } from './seed/documents.ts'
import { seedPermissions } from './seed/permissions.ts'
import { seedRoles } from './seed/roles.ts'
import { seededIndexOfEmail, seedUsers } from './seed/users.ts'
import type {
  ClientTruth,
  DocumentTruth,
  Permission,
  PermissionCode,
  RoleTruth,
  SettingsTruth,
  TenantName,
  UserTruth,
} from './truth.ts'

export interface TenantOptions {
  readonly name: TenantName
  readonly seed: number
  readonly now: number
  readonly sizes: TenantSizes
  readonly problems: boolean
  readonly sameNamedRoles: boolean
  readonly readings: Readings
  readonly ingestionDelayMs: number
  readonly codes: readonly PermissionCode[]
  readonly lists: ReadonlyMap<string, ListFactory>
  /** Users shared with another tenant; `sizes.users` includes them. */
  readonly shared?: readonly UserTruth[]
}

export interface Tenant {
  readonly name: TenantName
  readonly seed: number
  readonly users: OrderedStore<UserTruth>
  readonly documents: OrderedStore<DocumentTruth>
  readonly clients: OrderedStore<ClientTruth>
  /** The paginated list of a resource; throws a RangeError when there is none. */
  list(resource: string): List
  readonly roles: Map<number, RoleTruth>
  readonly permissions: Permission[]
  settings: SettingsTruth
  /** When each document in ingestion becomes `Completed`, epoch milliseconds. */
  readonly ingesting: Map<string, number>
  readonly ingestionDelayMs: number
  /** Smallest initial ids; ids of the tenants do not overlap, except those of shared users. */
  readonly firstUserId: number
  readonly firstRoleId: number
  /** Number of records made after the start, for unique ids. */
  made: number
}

export function createTenant(options: TenantOptions): Tenant {
  const { name, seed, now, problems, sameNamedRoles, readings, sizes } = options
  const permissions = seedPermissions(options.codes)
  const inactiveState = readings.inactiveRoleState
  const [firstUserId, firstRoleId] = name === 'primary' ? [1000, 101] : [400_001_000, 40_101]
  const roles = seedRoles({
    tenant: name,
    firstId: firstRoleId,
    count: sizes.roles,
    permissions,
    inactiveState,
    sameNamedRoles,
    problems,
  })
  const shared = (options.shared ?? []).slice(0, sizes.users)
  const seededUsers = seedUsers({
    seed,
    count: sizes.users - shared.length,
    now,
    problems,
    roles,
    domain: `${name}.example`,
    firstId: firstUserId,
  })
  const users = new OrderedStore(seededUsers, ({ createdAt, userId }: UserTruth) => ({ sort: createdAt, id: userId }))
  // A user in several tenants is shown with the role in the calling tenant (docs/api.md#user).
  const [role] = roles.filter(({ type, state }) => type === 'User' && state === 'Active')
  for (const user of shared) users.add({ ...user, roleId: role?.roleId ?? firstRoleId, roleName: null })
  const order = readings.documentOrder
  const documents = seedDocuments({ seed, count: sizes.documents, now, problems, order })
  const listSeed = { tenant: name, seed, now, problems, sizes }
  const lists = new Map([...options.lists].map(([resource, make]) => [resource, make(listSeed)]))
  const list = (resource: string): List => {
    const found = lists.get(resource)
    if (found === undefined) throw new RangeError(`There is no list ${resource}`)
    return found
  }

  const ingesting = new Map<string, number>()
  const newest = sizes.documents > 0 ? documents.recordAt(sizes.documents - 1) : undefined
  if (newest?.uploadStatus === 'Processing') ingesting.set(newest.fileId, now + options.ingestionDelayMs)

  return {
    name,
    seed,
    users,
    documents: new OrderedStore(documents, (record) => documentKey(record, order)),
    clients: list('api-clients').store as OrderedStore<ClientTruth>,
    list,
    roles: new Map(roles.map((role) => [role.roleId, role])),
    permissions,
    settings: seedSettings(name, problems),
    ingesting,
    ingestionDelayMs: options.ingestionDelayMs,
    firstUserId,
    firstRoleId,
    made: 0,
  }
}

/** Completes the documents whose ingestion is over at `now`; returns their ids. */
export function settleIngestion(tenant: Tenant, now: number): string[] {
  const done: string[] = []
  for (const [fileId, dueAt] of tenant.ingesting) {
    if (dueAt > now) continue
    tenant.ingesting.delete(fileId)
    const document = tenant.documents.get(fileId)
    if (document === undefined) continue
    tenant.documents.replace(fileId, { ...document, uploadStatus: 'Completed', updatedAt: dueAt })
    done.push(fileId)
  }
  return done
}

export function userByEmail(tenant: Tenant, email: string): UserTruth | undefined {
  const wanted = email.toLowerCase()
  for (const user of tenant.users.overlay()) if (user.email.toLowerCase() === wanted) return user
  const seeded = tenant.users.seeded(seededIndexOfEmail(wanted))
  return seeded?.email.toLowerCase() === wanted ? seeded : undefined
}

export function roleNameOf(tenant: Tenant, user: UserTruth): string {
  return user.roleName ?? tenant.roles.get(user.roleId)?.name ?? ''
}

export function nextUserId(tenant: Tenant): number {
  return tenant.firstUserId + 900_000_000 + ++tenant.made
}

export function nextRoleId(tenant: Tenant): number {
  return tenant.firstRoleId + 900_000 + ++tenant.made
}

/** Authentication settings: SSO on but not enforced in the primary tenant, none at all in the second. */
function seedSettings(tenant: TenantName, problems: boolean): SettingsTruth {
  if (problems && tenant === 'second') {
    return { ssoEnabled: false, ssoEnforced: false, providerType: null, tenantName: null, mfaEnabled: false, raw: {} }
  }
  return {
    ssoEnabled: true,
    ssoEnforced: !problems,
    providerType: 'AzureAD',
    tenantName: `${tenant}.example`,
    mfaEnabled: true,
    raw: {},
  }
}
