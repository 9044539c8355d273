import type { Sight } from './truth.ts'
import type { RoleTruth } from './world.ts'

interface Unsound {
  readonly excessiveClients: readonly string[]
  /** Those that grant too much or cannot be evaluated, because no role has their name. */
  readonly unclearClients: readonly string[]
  readonly unsoundClients: readonly string[]
  readonly unsoundUsers: readonly string[]
}

/** Findings by the roles, at any instants of clients, users and roles (docs/checks.md). */
export function rolesMustFail(sight: Sight): Unsound {
  const { world, from, to } = sight
  const states = world.roles.within(from('roles'), to)
  const named = (name: string) => states.map((roles) => roles.filter((role) => role.name === name))
  const clientFails = (fails: (roles: readonly RoleTruth[]) => boolean) =>
    [...world.clients.ids()].filter((id) =>
      world.clients
        .within(id, from('api-clients'), to)
        .every((client) => client !== null && named(client.roleName).every(fails)),
    )
  const isExcessive = (roles: readonly RoleTruth[]) =>
    roles.some(({ permissions }) => permissions.some(({ code }) => code.endsWith('_Create')))
  return {
    excessiveClients: clientFails(isExcessive),
    unclearClients: clientFails((roles) => roles.length === 0 || isExcessive(roles)),
    unsoundClients: clientFails((roles) => roles.length !== 1 || roles.some(({ state }) => state !== 'Active')),
    unsoundUsers: [...world.users.ids()].filter((id) => userFails(sight, id, states)),
  }
}

function userFails({ world, from, to, roleIdFrom }: Sight, id: string, states: readonly (readonly RoleTruth[])[]) {
  const seen = world.users.within(id, from('users'), to)
  const isEvaluated = seen.every((user) => user !== null && user.state !== 'Invited')
  if (!isEvaluated) return false
  // By roleId when it is known: any roleId that a detail may have contained.
  const read = world.users.within(id, Math.min(from('users'), roleIdFrom(Number(id))), to)
  const ids = new Set(read.flatMap((user) => (user === null ? [] : [user.roleId])))
  const names = new Set(seen.flatMap((user) => (user === null ? [] : [user.roleName])))
  return states.every((roles) => {
    const byId = roles.some((role) => ids.has(role.roleId) && role.state === 'Active')
    // By name otherwise: a mix is not evaluated, so only agreement can pass.
    const byName = [...names].some((name) => {
      const bearers = roles.filter((role) => role.name === name)
      return bearers.length > 0 && bearers.every(({ state }) => state === 'Active')
    })
    return !byId && !byName
  })
}
