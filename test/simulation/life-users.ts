import { inThePast, type LifeParts } from './life.ts'
import { doOne } from './prng.ts'
import type { UserTruth } from './world.ts'

/** One thing that happens to users. */
export function changeUsers(parts: LifeParts): void {
  const { world, prng, time, maker, rough, mayCome } = parts
  const users = world.users.live()
  const comes = mayCome('users')
  if (users.length < 3 && comes) {
    invite(parts, time.now)
    return
  }
  const user = prng.pick(users)
  doOne(prng, [
    [comes ? 20 : 0, () => invite(parts, time.now)],
    // The feed is ordered by creation (docs/internals/api.md#endpoints), but a user may appear in the middle of it.
    [comes ? 8 : 0, () => world.putUser(maker.user(world, inThePast(parts)))],
    [12, () => leave(parts, user)],
    [30, () => dropMfa(parts, user)],
    [27, () => changeRole(parts, user)],
    [rough ? 3 : 0, () => leaveAll(parts, users)],
  ])
}

function leaveAll({ world, prng }: LifeParts, users: readonly UserTruth[]): void {
  for (const { userId } of users.slice(0, prng.between(6, 9))) world.remove('users', userId)
}

function invite({ world, maker, later }: LifeParts, createdAt: number): void {
  const user = maker.user(world, createdAt)
  world.putUser({ ...user, state: 'Invited', mfaStatus: false })
  later(() => {
    const invited = world.users.get(user.userId)
    if (invited !== null) world.putUser({ ...invited, state: 'Active', mfaStatus: true })
  })
}

function leave({ world, prng, later, mayGo }: LifeParts, user: UserTruth): void {
  if (!mayGo('users')) return
  world.remove('users', user.userId)
  if (prng.chance(0.25)) later(() => world.users.get(user.userId) ?? world.putUser(sound(user, world)))
}

function dropMfa({ world, later }: LifeParts, user: UserTruth): void {
  world.putUser({ ...user, mfaStatus: false })
  later(() => {
    const now = world.users.get(user.userId)
    if (now !== null) world.putUser({ ...now, mfaStatus: true })
  })
}

function changeRole({ world, prng, later }: LifeParts, user: UserTruth): void {
  const { roleId, name: roleName } = prng.pick(world.roles.current)
  world.putUser({ ...user, roleId, roleName })
  later(() => {
    const now = world.users.get(user.userId)
    if (now !== null) world.putUser(sound(now, world))
  })
}

/** The user as it is, with a role that exists. */
function sound(user: UserTruth, world: LifeParts['world']): UserTruth {
  const role = world.role(user.roleId)
  if (role?.state === 'Active') return { ...user, roleName: role.name }
  const { roleId, name: roleName } = world.roles.current.find(({ state }) => state === 'Active') ?? {
    roleId: user.roleId,
    name: user.roleName,
  }
  return { ...user, roleId, roleName }
}
