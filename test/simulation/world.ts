import type { RecordOf } from '../../src/model/fields.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { authenticationSettings } from '../../src/resources/authentication-settings.ts'
import type { permissions } from '../../src/resources/permissions.ts'
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

export type Permission = RecordOf<typeof permissions.fields>
type AuthenticationSettings = RecordOf<typeof authenticationSettings.fields>

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

/** The records of each list. */
export interface Truths {
  readonly users: UserTruth
  readonly documents: DocumentTruth
  readonly 'api-clients': ClientTruth
  readonly permissions: Permission
}

export type ListName = keyof Truths

/** The truth about one tenant at every instant. */
export class World {
  readonly time: VirtualTime
  readonly name: string
  readonly lists: { readonly [L in ListName]: RecordHistory<Truths[L]> }
  readonly roles: History<readonly RoleTruth[]>
  readonly settings: History<AuthenticationSettings>

  constructor(time: VirtualTime, name: string, settings: AuthenticationSettings, roles: readonly RoleTruth[]) {
    const { now } = time
    this.time = time
    this.name = name
    this.lists = {
      users: new RecordHistory(now),
      documents: new RecordHistory(now),
      'api-clients': new RecordHistory(now),
      permissions: new RecordHistory(now),
    }
    this.roles = new History(roles, now)
    this.settings = new History(settings, now)
  }

  get users(): RecordHistory<UserTruth> {
    return this.lists.users
  }

  get documents(): RecordHistory<DocumentTruth> {
    return this.lists.documents
  }

  get clients(): RecordHistory<ClientTruth> {
    return this.lists['api-clients']
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

  remove(list: ListName, id: string | number): void {
    this.lists[list].put(id, null, this.time.now)
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
    if (isList(resource)) return this.lists[resource].liveIds()
    return resource === 'roles' ? this.roles.current.map(({ roleId }) => String(roleId)) : ['0']
  }

  /** True when a record did not exist at some instant of [from, to]. */
  wasAbsent(resource: ResourceName, id: string, from: number, to: number): boolean {
    if (isList(resource)) return this.lists[resource].within(id, from, to).includes(null)
    const rolesThen = resource === 'roles' ? this.roles.within(from, to) : []
    return rolesThen.some((roles) => roles.every(({ roleId }) => String(roleId) !== id))
  }
}

function isList(resource: ResourceName): resource is ListName {
  return resource === 'users' || resource === 'documents' || resource === 'api-clients' || resource === 'permissions'
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

  liveIds(): readonly string[] {
    return [...this.#records].flatMap(([id, { current }]) => (current === null ? [] : [id]))
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
  return formsSince(world.time.now, world, resource)
}

/** Every form that the records of a resource ever had. */
export function allForms(world: World, resource: ResourceName): readonly Form[] {
  return formsSince(Number.NEGATIVE_INFINITY, world, resource)
}

function formsSince(from: number, world: World, resource: ResourceName): readonly Form[] {
  const { now } = world.time
  if (isList(resource)) {
    const history = world.lists[resource]
    return [...history.ids()].flatMap((id) =>
      history.within(id, from, now).flatMap((record): Form[] => (record === null ? [] : [[id, withoutSince(record)]])),
    )
  }
  if (resource !== 'roles') return world.settings.within(from, now).map((one) => ['0', { ...one }])
  const roles = world.roles.within(from, now).flat()
  return roles.map((role) => [
    String(role.roleId),
    { ...role, description: `${role.name} role`, type: 'User', isReadOnly: false },
  ])
}

/** Without what the specification does not know. */
function withoutSince(record: Truths[ListName]): Fields {
  const { statusSince: _, ...fields } = { statusSince: 0, ...record }
  return fields
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
