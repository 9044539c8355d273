import type { RecordOf } from '../../src/model/fields.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { authenticationSettings } from '../../src/resources/authentication-settings.ts'
import type { permissions } from '../../src/resources/permissions.ts'
import type { VirtualTime } from './virtual-time.ts'

export type Permission = RecordOf<typeof permissions.fields>
type AuthenticationSettings = RecordOf<typeof authenticationSettings.fields>

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

interface Version<T> {
  readonly from: number
  readonly value: T
}

/** All values that one thing ever had, each from an instant of the world on. */
export class History<T> {
  readonly #versions: Version<T>[] = []

  constructor(value: T, from: number) {
    this.#versions.push({ from, value })
  }

  get current(): T {
    const last = this.#versions.at(-1)
    if (last === undefined) throw new Error('A history begins with a value')
    return last.value
  }

  /** Every value it ever had. */
  all(): readonly T[] {
    return this.#versions.map(({ value }) => value)
  }

  get since(): number {
    return this.#versions.at(-1)?.from ?? 0
  }

  set(value: T, from: number): void {
    this.#versions.push({ from, value })
  }

  /** Every value it had at some instant of [from, to], oldest first. */
  within(from: number, to: number): readonly T[] {
    const found: T[] = []
    for (let i = this.#versions.length - 1; i >= 0; i--) {
      const version = this.#versions[i]
      if (version === undefined || version.from > to) continue
      found.unshift(version.value)
      if (version.from <= from) break
    }
    return found
  }
}

/** Records by id with all their versions; null while a record does not exist. */
export class RecordHistory<T> {
  readonly #records = new Map<string, History<T | null>>()
  readonly #began: number

  constructor(began: number) {
    this.#began = began
  }

  put(id: string | number, value: T | null, at: number): void {
    const known = this.#records.get(String(id))
    if (known !== undefined) {
      known.set(value, at)
      return
    }
    const history = new History<T | null>(null, this.#began)
    history.set(value, at)
    this.#records.set(String(id), history)
  }

  get(id: string | number): T | null {
    return this.#records.get(String(id))?.current ?? null
  }

  live(): T[] {
    return [...this.#records.values()].flatMap(({ current }) => (current === null ? [] : [current]))
  }

  /** Every form that a record ever had. */
  all(): T[] {
    return [...this.#records.values()].flatMap((history) => history.all().filter((value) => value !== null))
  }

  ids(): IterableIterator<string> {
    return this.#records.keys()
  }

  /** Values of one record at the instants of [from, to]; null means absent. */
  within(id: string | number, from: number, to: number): readonly (T | null)[] {
    return this.#records.get(String(id))?.within(from, to) ?? [null]
  }
}

type Fields = Readonly<Record<string, unknown>>
type Times = Readonly<Record<string, number | null>>

/** A record with the fields the specification gives it. */
export type Form = readonly [key: string, fields: Fields]

/** The records of a resource as they are now. */
export function liveForms(world: World, resource: ResourceName): readonly Form[] {
  return formsOf(world, resource, (history) => history.live(), world.roles.current, [world.settings.current])
}

/** Every form that the records of a resource ever had. */
export function allForms(world: World, resource: ResourceName): readonly Form[] {
  const { roles, settings } = world
  return formsOf(world, resource, (history) => history.all(), roles.all().flat(), settings.all())
}

function formsOf(
  world: World,
  resource: ResourceName,
  of: <T>(history: RecordHistory<T>) => readonly T[],
  roles: readonly RoleTruth[],
  settings: readonly object[],
): readonly Form[] {
  switch (resource) {
    case 'users':
      return of(world.users).map((user) => [String(user.userId), { ...user }])
    case 'documents':
      return of(world.documents).map((document) => [document.fileId, withoutSince(document)])
    case 'api-clients':
      return of(world.clients).map((client) => [client.clientId, { ...client }])
    case 'permissions':
      return of(world.permissions).map((one) => [String(one.permissionId), { ...one }])
    case 'roles':
      return roles.map((role) => [
        String(role.roleId),
        { ...role, description: `${role.name} role`, type: 'User', isReadOnly: false },
      ])
    case 'authentication-settings':
      return settings.map((one) => ['0', { ...one }])
    default:
      return []
  }
}

function withoutSince({ statusSince: _, ...document }: DocumentTruth): Fields {
  return document
}

/** A record as text: dates as instants, GUIDs in lower case, fields in order of their names. */
export function comparable(fields: Fields, times: Times = {}): string {
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => {
    const time = times[`${name}Ms`]
    if (time !== undefined) return [name, time]
    return [name, name === 'clientId' || name === 'fileId' ? String(value).toLowerCase() : value]
  })
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
