import type { ResourceName } from '../../src/model/resource-names.ts'
import type { RecordHistory } from './history.ts'
import type { DocumentTruth, RoleTruth, World } from './world.ts'

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
