import { Collection, type Key } from './collection.ts'
import { DAY, type Given, type Kept, MINUTE, type ResourceName, type Style, show, withFields } from './fields.ts'
import { guidFor } from './random.ts'
import type { Readings } from './readings.ts'
import { permissions, seedClients, seedRoles } from './seed-access.ts'
import { seedDocuments, seedUsers, type TenantSeed } from './seed-feeds.ts'

export interface TenantSizes {
  readonly users: number
  readonly documents: number
  /** At least one for each token and, with `problems`, one for each kind of problem. */
  readonly apiClients: number
  /** At least the roles that tokens, users and problems need. */
  readonly roles: number
}

export interface TenantOptions extends Omit<TenantSeed, 'now'> {
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly sizes: TenantSizes
  readonly readings: () => Readings
  /** Users of another tenant that are also in this one; `sizes.users` includes them. */
  readonly shared: readonly Kept<'users'>[]
}

/** Time from upload until a document is `Completed`. */
export const ingestionMs = 10 * MINUTE

/** Records to remove: a predicate, or an evenly distributed share (0 to 1) of exactly floor(count × share) records. */
export type Selection<T> = number | ((record: T) => boolean)

function selector<T>(which: Selection<T>): (record: T) => boolean {
  if (typeof which === 'function') return which
  let rank = 0
  return () => {
    rank++
    return Math.floor(rank * which) > Math.floor((rank - 1) * which)
  }
}

interface Manner<N extends ResourceName> {
  readonly seeded: readonly Kept<N>[]
  readonly blank: (n: number) => Kept<N>
  readonly key: (record: Kept<N>) => Key
  readonly show?: (record: Kept<N>) => Kept<N>
}

/** The records of one resource; changes are those that the portal of the tenant would make. */
export type Managed<N extends ResourceName> = ReturnType<typeof manage<N>>

/** @param made numbers the records that are added. */
function manage<N extends ResourceName>(
  { readings, made }: { readonly readings: () => Readings; readonly made: () => number },
  resource: N,
  manner: Manner<N>,
) {
  const records = new Collection(manner.seeded, manner.key)
  /** A record in the form of the API; in lists of the API a user has no `roleId`. */
  const shown = (record: Kept<N>, style: Style) => show(resource, manner.show?.(record) ?? record, style)
  const inState = (record: Kept<N>) => {
    const { timestamps, unknownFields } = readings()
    return shown(record, { timestamps, unknownFields, upperGuids: false })
  }
  const keep = (old: Kept<N>, fields: object) => {
    const record = withFields(resource, old, fields)
    records.add(record)
    return inState(record)
  }
  return {
    records,
    show: shown,
    add: (fields: Given<N> = {}) => keep(manner.blank(made()), fields),
    /** Throws a RangeError when a record to change does not exist; returns the new one. */
    update(id: number | string, fields: Given<N>) {
      const old = records.get(id)
      if (old === undefined) throw new RangeError(`There is no record ${id} of ${resource}`)
      records.remove(id)
      return keep(old, fields)
    },
    remove: (id: number | string) => records.remove(id),
    /** Number of records removed. */
    removeWhere: (which: Selection<Kept<N>>) => records.removeWhere(selector(which)),
    find(id: number | string) {
      const record = records.get(id)
      return record && inState(record)
    },
    all: () => records.all().map(inState),
  }
}

export type Tenant = ReturnType<typeof createTenant>

/** A tenant with its seeded data. Ids of the two tenants do not overlap, except those of shared users. */
export function createTenant(options: TenantOptions) {
  const { tenant: name, seed, clock, sizes, problems, readings } = options
  const now = clock()
  const of = { tenant: name, seed, now, problems }
  const [firstUserId, firstRoleId] = name === 'primary' ? [1000, 101] : [400_001_000, 40_101]
  let made = 0
  /** When each document in ingestion becomes `Completed`. */
  const ingesting = new Map<string, number>()

  const own = { readings, made: () => ++made }

  const roles = manage(own, 'roles', {
    seeded: seedRoles(of, sizes.roles, firstRoleId, readings().inactiveRoleState),
    key: ({ roleId }) => ({ sort: 0, id: roleId }),
    blank: (n) => ({
      roleId: firstRoleId + 900_000 + n,
      name: `Role ${n}`,
      description: '',
      state: 'Active',
      type: 'User',
      isReadOnly: false,
      permissions: [],
      raw: {},
    }),
  })
  const member = () => roles.records.all().find(({ type, state }) => type === 'User' && state === 'Active')?.roleId ?? 0

  const ownUsers = seedUsers({
    ...of,
    count: sizes.users - options.shared.length,
    roles: roles.records.all(),
    firstId: firstUserId,
  })
  // A user in several tenants is shown with the role in the calling tenant (docs/internals/api.md#user).
  const shared = options.shared.map((user) => ({ ...user, roleId: member(), roleName: null }))
  const users = manage(own, 'users', {
    seeded: [...ownUsers, ...shared],
    key: ({ createdAt, userId }) => ({ sort: createdAt, id: userId }),
    show: (user) => ({ ...user, roleName: user.roleName ?? roles.records.get(user.roleId)?.name ?? '' }),
    blank: (n) => ({
      userId: firstUserId + 900_000_000 + n,
      firstName: 'Robin',
      lastName: `Newcomer ${n}`,
      email: `robin.newcomer-${n}@${name}.example`,
      state: 'Active',
      mfaStatus: true,
      mfaAction: false,
      roleId: member(),
      roleName: null,
      createdAt: clock(),
      raw: {},
    }),
  })

  const order = readings().documentOrder
  const feed = manage(own, 'documents', {
    seeded: seedDocuments({ ...of, count: sizes.documents }),
    key: ({ fileId, createdAt, updatedAt }) => {
      if (order === 'fileId') return { sort: 0, id: fileId }
      return { sort: order === 'createdAt' ? createdAt : (updatedAt ?? createdAt), id: fileId }
    },
    blank: (n) => ({
      fileId: guidFor(seed ^ 0x44f1, n),
      filename: `Upload ${n}.pdf`,
      uploadStatus: 'Processing',
      createdAt: clock(),
      updatedAt: null,
      raw: {},
    }),
  })
  const newest = feed.records
    .all()
    .find(({ createdAt, uploadStatus }) => uploadStatus === 'Processing' && createdAt > now - DAY)
  if (newest !== undefined) ingesting.set(newest.fileId, now + ingestionMs)
  const documents: Managed<'documents'> = {
    ...feed,
    /** Without `uploadStatus` the document is `Processing` until its ingestion is over. */
    add(fields = {}) {
      const added = feed.add(fields)
      const document = feed.records.get(added.fileId)
      if (!('uploadStatus' in fields) && document !== undefined)
        ingesting.set(document.fileId, document.createdAt + ingestionMs)
      return added
    },
    all() {
      settleIngestion()
      return feed.all()
    },
    find(id: number | string) {
      settleIngestion()
      return feed.find(id)
    },
    /** Sets `updatedAt` to now unless it is given. */
    update(id, fields) {
      if ('uploadStatus' in fields) ingesting.delete(String(id).toLowerCase())
      return feed.update(id, { updatedAt: clock(), ...fields })
    },
  }

  /** Completes the documents whose ingestion is over; returns their ids. */
  function settleIngestion(): string[] {
    const due = [...ingesting].filter(([, at]) => at <= clock())
    return due.flatMap(([fileId, at]) => {
      ingesting.delete(fileId)
      if (feed.records.get(fileId) === undefined) return []
      feed.update(fileId, { uploadStatus: 'Completed', updatedAt: at })
      return [fileId]
    })
  }

  const clients = manage(own, 'api-clients', {
    seeded: seedClients(of, sizes.apiClients),
    key: ({ createdAt, clientId }) => ({ sort: createdAt, id: clientId }),
    blank: (n) => ({
      clientId: guidFor(seed ^ 0x44f1, n),
      name: `Integration ${n}`,
      roleName: 'Compliance Reader',
      secretExpirationDate: clock() + 180 * DAY,
      createdAt: clock(),
      raw: {},
    }),
  })
  const catalogue = manage(own, 'permissions', {
    seeded: permissions.map((one) => ({ ...one, raw: {} })),
    key: ({ permissionId }) => ({ sort: 0, id: permissionId }),
    blank: (n) => ({
      permissionId: 900_000 + n,
      name: 'Read',
      module: 'Portal',
      function: 'Other',
      code: `Portal_Other_Read_${n}`,
      raw: {},
    }),
  })
  // Single sign-on that is not enforced in the primary tenant, none at all in the second; without problems enforced.
  const hasSso = !problems || name === 'primary'
  const initialSettings: Kept<'authentication-settings'> = {
    ssoEnabled: hasSso,
    ssoEnforced: !problems,
    providerType: hasSso ? 'AzureAD' : null,
    tenantName: hasSso ? `${name}.example` : null,
    mfaEnabled: hasSso,
    raw: {},
  }
  const settings = manage(own, 'authentication-settings', {
    seeded: [initialSettings],
    key: () => ({ sort: 0, id: 0 }),
    blank: () => initialSettings,
  })

  /** Permissions of a role may be given by code. */
  const withPermissions = (fields: Given<'roles'>): Given<'roles'> => {
    if (!Array.isArray(fields.permissions)) return fields
    const all = catalogue.all()
    const given = fields.permissions.map((one) => {
      const known = typeof one === 'string' ? all.find(({ code }) => code === one) : one
      if (known === undefined) throw new RangeError(`There is no permission ${one}`)
      return known
    })
    return { ...fields, permissions: given }
  }

  const resources = {
    'api-clients': clients,
    'authentication-settings': settings,
    documents,
    permissions: catalogue,
    roles: {
      ...roles,
      add: (fields: Given<'roles'> = {}) => roles.add(withPermissions(fields)),
      update: (id: number | string, fields: Given<'roles'>) => roles.update(id, withPermissions(fields)),
    },
    users,
  }
  return { name, lastMade: () => made, settleIngestion, resources, ...resources }
}
