import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import type { LifeParts } from './life.ts'
import { createCode } from './populate.ts'
import { doOne } from './prng.ts'
import type { ClientTruth, RoleTruth, World } from './world.ts'

/** One thing that happens to API clients, roles or the sign-in policy. */
export function changePolicy(parts: LifeParts): void {
  doOne(parts.prng, [
    [55, () => changeClients(parts)],
    [30, () => changeRoles(parts)],
    [15, () => changeSettings(parts)],
  ])
}

function changeClients(parts: LifeParts): void {
  const { world, prng, maker, time } = parts
  const clients = world.clients.live()
  const client = prng.pick(clients)
  // The list always contains the client that asks (docs/internals/api.md#api-client): the first one stays.
  const mayGo = client !== clients[0]
  doOne(prng, [
    [parts.mayCome('clients') ? 20 : 0, () => world.putClient(maker.client(world, time.now))],
    [mayGo ? 15 : 0, () => parts.mayGo('clients') && world.remove('api-clients', client.clientId)],
    [45, () => rotate(parts, client)],
    [20, () => world.putClient({ ...client, roleName: prng.pick(world.roles.current).name })],
  ])
}

/** A new secret whose life is short, soon over or far too long; a sound one some time later. */
function rotate({ world, prng, time, later }: LifeParts, client: ClientTruth): void {
  const secretExpirationDate = time.now + prng.pick([30 * minuteMs, 3 * hourMs, 10 * hourMs, 500 * dayMs])
  world.putClient({ ...client, secretExpirationDate })
  later(() => {
    const now = world.clients.get(client.clientId)
    if (now !== null) world.putClient({ ...now, secretExpirationDate: time.now + 100 * dayMs })
  })
}

function changeRoles(parts: LifeParts): void {
  const { world, prng, maker, later, rough } = parts
  const roles = world.roles.current
  const role = prng.pick(roles)
  const put = (change: Partial<RoleTruth>) =>
    world.setRoles(world.roles.current.map((one) => (one.roleId === role.roleId ? { ...one, ...change } : one)))
  // Active roles are left, so that people can be given a sound one.
  const mayRest = roles.filter(({ state }) => state === 'Active').length > 2
  doOne(prng, [
    [15, () => world.setRoles([...roles, maker.role()])],
    [
      mayRest ? 35 : 0,
      () => {
        put({ state: 'Inactive' })
        later(() => put({ state: 'Active' }))
      },
    ],
    [35, () => grantTooMuch(parts)],
    [13, () => rename(parts, role.roleId)],
    [rough ? 3 : 0, () => put({ name: prng.pick(roles).name })],
    [9, () => dropUnused(world)],
  ])
}

/** A role that some client has may create for a while; half of the time it is renamed meanwhile. */
function grantTooMuch(parts: LifeParts): void {
  const { world, prng, later } = parts
  const { roleName } = prng.pick(world.clients.live())
  const { roleId } = world.roles.current.find(({ name }) => name === roleName) ?? prng.pick(world.roles.current)
  const creating = world.lists.permissions.live().filter(({ code }) => code === createCode)
  const set = (extra: typeof creating) => {
    const changed = ({ permissions }: RoleTruth) => [...permissions.filter(({ code }) => code !== createCode), ...extra]
    const roles = world.roles.current
    world.setRoles(roles.map((one) => (one.roleId === roleId ? { ...one, permissions: changed(one) } : one)))
  }
  set(creating)
  if (prng.chance(0.5)) later(() => rename(parts, roleId))
  later(() => set([]))
}

function rename({ world, prng }: LifeParts, roleId: number): void {
  const renamed = (name: string) => `${name.split(' v')[0]} v${prng.between(2, 99)}`
  world.setRoles(world.roles.current.map((one) => (one.roleId === roleId ? { ...one, name: renamed(one.name) } : one)))
}

function dropUnused(world: World): void {
  const roles = world.roles.current
  const unused = roles.find(
    ({ roleId, name }) =>
      world.users.live().every((user) => user.roleId !== roleId) &&
      world.clients.live().every((client) => client.roleName !== name),
  )
  if (unused !== undefined && roles.length > 3) world.setRoles(roles.filter((one) => one !== unused))
}

function changeSettings({ world, prng, later, settingsKnown }: LifeParts): void {
  if (!settingsKnown()) return
  const before = world.settings.current
  const field = prng.pick(['ssoEnabled', 'ssoEnforced', 'mfaEnabled', 'providerType'] as const)
  const value = field === 'providerType' ? 'Oidc' : false
  world.settings.set({ ...before, [field]: value }, world.time.now)
  later(() => world.settings.set({ ...world.settings.current, [field]: before[field] }, world.time.now))
}
