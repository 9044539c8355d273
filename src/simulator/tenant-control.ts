import { documentKinds, type FieldsOf, roleKinds, settingsKinds, userKinds, withFields } from './fields.ts'
import { guidFor } from './random.ts'
import type { ApiClient, ApiDocument, ApiRole, ApiSettings, ApiUser } from './server/render.ts'
import { nextRoleId, nextUserId, type Tenant } from './tenant.ts'
import type { TenantState } from './tenant-state.ts'
import type { ClientTruth, DocumentTruth, Permission, RoleTruth, SettingsTruth, UserTruth } from './truth.ts'

export type UserFields = FieldsOf<UserTruth>
export type DocumentFields = FieldsOf<DocumentTruth>
export type ApiClientFields = FieldsOf<ClientTruth>
export type SettingsFields = FieldsOf<SettingsTruth>
/** Permissions of a role may be given by code. */
export type RoleFields = Omit<FieldsOf<RoleTruth>, 'permissions'> & {
  readonly permissions?: readonly (Permission | string)[]
}

/** Records to remove: a predicate, or an evenly distributed share (0 to 1). */
export type Selection<T> = number | ((record: T) => boolean)

export interface ListControl {
  add(fields: object): object
  update(id: string, fields: object): object
  remove(id: string): boolean
}

/** Changes the data of a tenant, as its portal would; methods return the new record. */
export interface TenantControl {
  readonly name: string
  readonly state: TenantState
  addUser(fields?: UserFields): ApiUser
  /** Adds a user with the `createdAt` of the user in the middle of the list. */
  addUserInTheMiddle(fields?: UserFields): ApiUser
  updateUser(userId: number, fields: UserFields): ApiUser
  removeUser(userId: number): boolean
  removeUsers(which: Selection<UserTruth>): number
  /** Without `uploadStatus` the document is `Processing` until the ingestion delay is over. */
  addDocument(fields?: DocumentFields): ApiDocument
  /** Sets `updatedAt` to now unless it is given. */
  updateDocument(fileId: string, fields: DocumentFields): ApiDocument
  removeDocument(fileId: string): boolean
  removeDocuments(which: Selection<DocumentTruth>): number
  addApiClient(fields?: ApiClientFields): ApiClient
  updateApiClient(clientId: string, fields: ApiClientFields): ApiClient
  removeApiClient(clientId: string): boolean
  removeApiClients(which: Selection<ClientTruth>): number
  addRole(fields?: RoleFields): ApiRole
  updateRole(roleId: number, fields: RoleFields): ApiRole
  removeRole(roleId: number): boolean
  removeRoles(which: Selection<RoleTruth>): number
  addPermission(fields: Partial<Permission> & Pick<Permission, 'code'>): Permission
  updatePermission(permissionId: number, fields: Partial<Permission>): Permission
  removePermission(permissionId: number): boolean
  setSettings(fields: SettingsFields): ApiSettings
  list(resource: string): ListControl
}

function present<T>(record: T | undefined, what: string, id: number | string): T {
  if (record === undefined) throw new RangeError(`Cannot change ${what} ${id}: it does not exist`)
  return record
}

/** The predicate of a selection; a share selects exactly floor(count × share) records. */
function selector<T>(which: Selection<T>): (record: T) => boolean {
  if (typeof which === 'function') return which
  let rank = 0
  return () => {
    rank++
    return Math.floor(rank * which) > Math.floor((rank - 1) * which)
  }
}

/** Makes the control of one tenant. Its methods throw a RangeError when a record to change does not exist. */
export function controlOf(tenant: Tenant, state: TenantState, clock: () => number): TenantControl {
  const { users, documents, clients, roles, permissions } = tenant
  const next = () => ++tenant.made
  const nextGuid = () => guidFor(tenant.seed ^ 0x44f1, next())

  function blankUser(): UserTruth {
    const userId = nextUserId(tenant)
    const member = [...roles.values()].find((role) => role.type === 'User' && role.state === 'Active')
    return {
      userId,
      firstName: 'Robin',
      lastName: `Newcomer ${tenant.made}`,
      email: `robin.newcomer-${tenant.made}@${tenant.name}.example`,
      state: 'Active',
      mfaStatus: true,
      mfaAction: false,
      roleId: member?.roleId ?? 0,
      roleName: null,
      createdAt: clock(),
      raw: {},
    }
  }

  function rolePatch(role: RoleTruth, { permissions: wanted, ...fields }: RoleFields): RoleTruth {
    const patched = withFields(role, fields, roleKinds)
    if (wanted === undefined) return patched
    if (!Array.isArray(wanted)) return { ...patched, raw: { ...patched.raw, permissions: wanted } }
    const resolved = wanted.flatMap((item: Permission | string) =>
      typeof item === 'string' ? permissions.filter(({ code }) => code === item) : [item],
    )
    return { ...patched, permissions: resolved }
  }

  function shownRole(role: RoleTruth): ApiRole {
    roles.set(role.roleId, role)
    return present(state.role(role.roleId), 'role', role.roleId)
  }

  function listControl(resource: string): ListControl {
    const list = tenant.list(resource)
    const shown = (id: string) => present(state.listed(resource, id), resource, id)
    return {
      add(fields) {
        const id = nextGuid()
        return shown(list.add(fields, { id, made: tenant.made, now: clock() }))
      },
      update: (id, fields) => shown(present(list.update(id, fields), resource, id)),
      remove: (id) => list.remove(id),
    }
  }

  const control: TenantControl = {
    list: listControl,
    name: tenant.name,
    state,
    addUser(fields = {}) {
      const user = withFields(blankUser(), fields, userKinds)
      users.add(user)
      return present(state.user(user.userId), 'user', user.userId)
    },
    addUserInTheMiddle(fields = {}) {
      const createdAt = users.at(Math.floor(users.size / 2))?.createdAt ?? clock()
      return control.addUser({ createdAt, ...fields })
    },
    updateUser(userId, fields) {
      const user = withFields(present(users.get(userId), 'user', userId), fields, userKinds)
      users.replace(userId, user)
      return present(state.user(user.userId), 'user', user.userId)
    },
    removeUser: (userId) => users.remove(userId),
    removeUsers: (which) => users.removeWhere(selector(which)).length,
    addDocument(fields = {}) {
      const n = tenant.made + 1
      const blank: DocumentTruth = {
        fileId: nextGuid(),
        filename: `Upload ${n}.pdf`,
        uploadStatus: 'Processing',
        createdAt: clock(),
        updatedAt: null,
        raw: {},
      }
      const document = withFields(blank, fields, documentKinds)
      documents.add(document)
      if (!('uploadStatus' in fields)) {
        tenant.ingesting.set(document.fileId, document.createdAt + tenant.ingestionDelayMs)
      }
      return present(state.document(document.fileId), 'document', document.fileId)
    },
    updateDocument(fileId, fields) {
      const id = fileId.toLowerCase()
      const old = present(documents.get(id), 'document', id)
      const document = withFields(old, { updatedAt: clock(), ...fields }, documentKinds)
      documents.replace(id, document)
      if ('uploadStatus' in fields) tenant.ingesting.delete(id)
      return present(state.document(document.fileId), 'document', document.fileId)
    },
    removeDocument: (fileId) => documents.remove(fileId.toLowerCase()),
    removeDocuments: (which) => documents.removeWhere(selector(which)).length,
    addApiClient: (fields = {}) => listControl('api-clients').add(fields) as ApiClient,
    updateApiClient: (clientId, fields) => listControl('api-clients').update(clientId, fields) as ApiClient,
    removeApiClient: (clientId) => listControl('api-clients').remove(clientId),
    removeApiClients: (which) => clients.removeWhere(selector(which)).length,
    addRole(fields = {}) {
      const roleId = nextRoleId(tenant)
      const blank = { name: `Role ${tenant.made}`, description: '', state: 'Active', type: 'User', isReadOnly: false }
      return shownRole(rolePatch({ roleId, ...blank, permissions: [], raw: {} }, fields))
    },
    updateRole(roleId, fields) {
      const role = rolePatch(present(roles.get(roleId), 'role', roleId), fields)
      if (role.roleId !== roleId) roles.delete(roleId)
      return shownRole(role)
    },
    removeRole: (roleId) => roles.delete(roleId),
    removeRoles: (which) =>
      [...roles.values()].filter(selector(which)).filter(({ roleId }) => roles.delete(roleId)).length,
    addPermission(fields) {
      const added = { permissionId: 900_000 + next(), name: 'Read', module: 'Portal', function: 'Other', ...fields }
      permissions.push(added)
      return added
    },
    updatePermission(permissionId, fields) {
      const at = permissions.findIndex((permission) => permission.permissionId === permissionId)
      const changed = { ...present(permissions[at], 'permission', permissionId), ...fields }
      permissions[at] = changed
      return changed
    },
    removePermission(permissionId) {
      const at = permissions.findIndex((permission) => permission.permissionId === permissionId)
      if (at >= 0) permissions.splice(at, 1)
      return at >= 0
    },
    setSettings(fields) {
      tenant.settings = withFields(tenant.settings, fields, settingsKinds)
      return state.authenticationSettings()
    },
  }
  return control
}
