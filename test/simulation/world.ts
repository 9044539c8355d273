import type { AuthenticationSettings, Permission } from '../../src/api/reader.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { History, RecordHistory } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The resources that simulated lives have; all others are switched off. */
export const worldResources = [
  'api-clients',
  'authentication-settings',
  'documents',
  'permissions',
  'roles',
  'users',
] as const satisfies readonly ResourceName[]

export interface UserTruth {
  readonly userId: number
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly state: 'Active' | 'Invited'
  readonly mfaStatus: boolean
  readonly mfaAction: boolean
  readonly roleId: number
  /** Name of the user's role. */
  readonly roleName: string
  readonly createdAt: number
}

export interface RoleTruth {
  readonly roleId: number
  readonly name: string
  readonly state: 'Active' | 'Inactive'
  readonly permissions: readonly Permission[]
}

export interface ClientTruth {
  readonly clientId: string
  readonly name: string
  readonly roleName: string
  readonly secretExpirationDate: number
  readonly createdAt: number
}

export interface DocumentTruth {
  readonly fileId: string
  readonly filename: string
  readonly uploadStatus: string | null
  /** Since when it is done, or is not. */
  readonly statusSince: number
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** The truth about one tenant at every instant. */
export class World {
  readonly time: VirtualTime
  readonly name: string
  readonly users: RecordHistory<UserTruth>
  readonly documents: RecordHistory<DocumentTruth>
  readonly clients: RecordHistory<ClientTruth>
  readonly permissions: RecordHistory<Permission>
  readonly roles: History<readonly RoleTruth[]>
  readonly settings: History<AuthenticationSettings>

  constructor(time: VirtualTime, name: string, settings: AuthenticationSettings, roles: readonly RoleTruth[]) {
    this.time = time
    this.name = name
    this.users = new RecordHistory(time.now)
    this.documents = new RecordHistory(time.now)
    this.clients = new RecordHistory(time.now)
    this.permissions = new RecordHistory(time.now)
    this.roles = new History(roles, time.now)
    this.settings = new History(settings, time.now)
  }

  putUser(user: UserTruth): void {
    this.users.put(user.userId, user, this.time.now)
  }

  putDocument(document: DocumentTruth): void {
    this.documents.put(document.fileId, document, this.time.now)
  }

  putClient(client: ClientTruth): void {
    this.clients.put(client.clientId, client, this.time.now)
  }

  remove(resource: 'users' | 'documents' | 'clients' | 'permissions', id: string | number): void {
    this[resource].put(id, null, this.time.now)
  }

  /** Sets the roles; users and clients carry the name of their role as of now. */
  setRoles(roles: readonly RoleTruth[]): void {
    const before = this.roles.current
    this.roles.set(roles, this.time.now)
    for (const { roleId, name } of before) {
      const renamed = roles.find((role) => role.roleId === roleId)?.name ?? name
      if (renamed === name) continue
      for (const user of this.users.live()) if (user.roleId === roleId) this.putUser({ ...user, roleName: renamed })
      for (const client of this.clients.live()) {
        if (client.roleName === name) this.putClient({ ...client, roleName: renamed })
      }
    }
  }

  role(roleId: number): RoleTruth | undefined {
    return this.roles.current.find((role) => role.roleId === roleId)
  }

  /** Ids that a resource has now. */
  ids(resource: ResourceName): readonly string[] {
    switch (resource) {
      case 'users':
        return this.users.live().map(({ userId }) => String(userId))
      case 'documents':
        return this.documents.live().map(({ fileId }) => fileId)
      case 'api-clients':
        return this.clients.live().map(({ clientId }) => clientId)
      case 'permissions':
        return this.permissions.live().map(({ permissionId }) => String(permissionId))
      case 'roles':
        return this.roles.current.map(({ roleId }) => String(roleId))
      case 'authentication-settings':
        return ['0']
      default:
        return []
    }
  }

  /** True when a record did not exist at some instant of [from, to]. */
  wasAbsent(resource: ResourceName, id: string, from: number, to: number): boolean {
    switch (resource) {
      case 'users':
        return this.users.within(id, from, to).includes(null)
      case 'documents':
        return this.documents.within(id, from, to).includes(null)
      case 'api-clients':
        return this.clients.within(id, from, to).includes(null)
      case 'permissions':
        return this.permissions.within(id, from, to).includes(null)
      case 'roles':
        return this.roles.within(from, to).some((roles) => roles.every(({ roleId }) => String(roleId) !== id))
      default:
        return false
    }
  }
}
