import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import type { Prng } from './prng.ts'
import type { VirtualTime } from './virtual-time.ts'
import {
  type ClientTruth,
  type DocumentTruth,
  type Permission,
  type RoleTruth,
  type UserTruth,
  World,
} from './world.ts'

/** Ids of the other tenant lie above this, or begin with this, so that none of its records can be mistaken. */
export const foreignIds = 900_000
export const foreignGuids = 'ffffffff'

export interface Sizes {
  readonly users: number
  readonly documents: number
  readonly clients: number
  readonly roles: number
}

/** Makes records with ids that were never used before. */
export interface Maker {
  user(world: World, createdAt: number): UserTruth
  document(world: World, createdAt: number): DocumentTruth
  client(world: World, createdAt: number): ClientTruth
  role(): RoleTruth
  permissions(): readonly Permission[]
}

const codes = ['Api_Users_Read', 'Api_Roles_Read', 'Api_AuthSettings_Read', 'Api_ApiClients_Read', 'Api_Documents_Read']
export const createCode = 'Api_Users_Create'

export function createMaker(prng: Prng, foreign: boolean): Maker {
  let users = foreign ? foreignIds : 0
  let roles = foreign ? foreignIds : 0
  let guids = 0
  const guid = () => {
    const head = foreign ? foreignGuids : prng.between(0, 0xffff_fff0).toString(16).padStart(8, '0')
    return `${head}-0000-4000-8000-${(++guids).toString(16).padStart(12, '0')}`
  }
  const first = foreign ? foreignIds : 0
  const catalogue = [...codes, createCode].map((code, i) => ({
    permissionId: first + i + 1,
    name: 'Read',
    module: 'Api',
    function: code,
    code,
  }))
  return {
    user(world, createdAt) {
      const userId = ++users
      const role = prng.pick(world.roles.current.filter(({ state }) => state === 'Active'))
      return {
        userId,
        firstName: `First${userId}`,
        lastName: `Last${userId}`,
        email: `user${userId}@${world.name}.test`,
        state: 'Active',
        mfaStatus: true,
        mfaAction: prng.chance(0.5),
        roleId: role.roleId,
        roleName: role.name,
        createdAt,
      }
    },
    document(world, createdAt) {
      const fileId = guid()
      const isPolicy = prng.chance(0.25)
      const filename = isPolicy ? `policy-${fileId.slice(0, 6)}.pdf` : `file-${guids}.pdf`
      return {
        fileId,
        filename: `${world.name === 'other' ? 'other-' : ''}${filename}`,
        uploadStatus: 'Completed',
        statusSince: createdAt,
        createdAt,
        updatedAt: prng.chance(0.4) ? Math.min(createdAt + hourMs, world.time.now) : null,
      }
    },
    client(world, createdAt) {
      const role = prng.pick(world.roles.current.filter(({ state }) => state === 'Active'))
      return {
        clientId: guid(),
        name: `client ${guids}`,
        roleName: role.name,
        secretExpirationDate: world.time.now + prng.between(60, 300) * dayMs,
        createdAt,
      }
    },
    role() {
      const roleId = ++roles
      return { roleId, name: `Role ${roleId}`, state: 'Active', permissions: catalogue.slice(0, prng.between(1, 5)) }
    },
    permissions: () => catalogue,
  }
}

/** A tenant in good order, months old. */
export function populate(time: VirtualTime, name: string, sizes: Sizes, prng: Prng, maker: Maker): World {
  const settings = {
    ssoEnabled: true,
    ssoEnforced: true,
    providerType: 'Saml',
    tenantName: name,
    mfaEnabled: true,
  }
  const world = new World(
    time,
    name,
    settings,
    Array.from({ length: sizes.roles }, () => maker.role()),
  )
  const past = () => time.now - prng.between(2 * dayMs, 90 * dayMs)
  for (const permission of maker.permissions())
    world.lists.permissions.put(permission.permissionId, permission, time.now)
  for (let i = 0; i < sizes.clients; i++) world.putClient(maker.client(world, past()))
  for (let i = 0; i < sizes.users; i++) world.putUser(maker.user(world, past() + prng.between(0, minuteMs)))
  for (let i = 0; i < sizes.documents; i++) world.putDocument(maker.document(world, past()))
  return world
}

/** One tenant in four is as small as a tenant may be, where small ones may be. */
export function chooseSizes(prng: Prng, small: boolean): Sizes {
  if (small && prng.chance(0.25)) {
    return { users: prng.between(3, 5), documents: prng.between(0, 3), clients: prng.between(1, 2), roles: 3 }
  }
  return {
    users: prng.between(4, 30),
    documents: prng.between(4, 24),
    clients: prng.between(3, 9),
    roles: prng.between(3, 6),
  }
}

/**
 * Another tenant, which may have users of the first one: none, one, half or all of them, with a role of its own
 * for them (docs/internals/api.md#user).
 */
export function populateOther(own: World, prng: Prng): World {
  const isSmall = prng.chance(0.3)
  const sizes = isSmall
    ? { users: prng.between(1, 3), documents: prng.between(0, 3), clients: prng.between(1, 2), roles: 3 }
    : { users: 12, documents: 12, clients: 7, roles: 3 }
  const other = populate(own.time, 'other', sizes, prng, createMaker(prng, true))
  const users = own.users.live()
  const shared = prng.pick([0, 1, Math.ceil(users.length / 2), users.length])
  for (const user of users.slice(0, shared)) {
    const { roleId, name: roleName } = prng.pick(other.roles.current)
    other.putUser({ ...user, roleId, roleName, mfaStatus: prng.chance(0.5) })
  }
  if (shared === users.length) {
    for (const { userId } of other.users.live()) if (userId > foreignIds) other.remove('users', userId)
  }
  return other
}
