import type { ResourceName } from '../../src/model/resource-names.ts'
import { dayMs, hourMs } from '../../src/model/time.ts'
import { acceptedStates } from '../support/events.ts'
import { meetsRequirement, thresholds } from './machine-settings.ts'
import type { DocumentTruth, ListName, RoleTruth, Truths, World } from './world.ts'

/** Instants of the world that a check result may be based on. */
export interface Sight {
  readonly world: World
  /** Earliest instant that the data of a resource may be of. */
  readonly from: (resource: ResourceName) => number
  /** The same for what only an absence from two full syncs takes away (docs/internals/sync.md#5-removal). */
  readonly presenceFrom: (resource: ResourceName) => number
  readonly to: number
  /** The evaluate's time, as each clock may have shown it. */
  readonly evaluatedAt: readonly number[]
  /**
   * Earliest instant that a user's `roleId` may be of: a failed detail read changes nothing
   * (docs/internals/sync.md#16-details).
   */
  readonly roleIdFrom: (userId: number) => number
  /** By when the mirror saw that a document was no longer done, or was done; null when it need not have. */
  readonly statusSeenBy: (document: DocumentTruth) => number | null
  /** Values that the settings had when the mirror began. */
  readonly firstSettings: Readonly<Record<string, unknown>>
  /** Permissions of all roles when the mirror first had them all; null before. */
  readonly firstRoles: RoleCodes | null
}

/**
 * Entities that fail a check whatever instants within sight were read, each record at its own: a full sync is no
 * snapshot, and each input has its own age (docs/internals/status.md#freshness). With one instant in sight it is the exact check
 * result.
 */
export function mustFail(check: string, sight: Sight): readonly string[] {
  return evaluates[check]?.(sight) ?? []
}

/** Entities that cannot have been seen to pass either: they fail, or what they hang on was not to be found. */
export function cannotPass(check: string, sight: Sight): readonly string[] {
  return check === 'api-client-least-privilege' ? rolesMustFail(sight).unclearClients : mustFail(check, sight)
}

type Evaluator = (sight: Sight) => readonly string[]

const evaluates: Readonly<Record<string, Evaluator>> = {
  'api-client-secret-not-expired': records(
    'api-clients',
    ({ secretExpirationDate }, now) => secretExpirationDate <= now,
  ),
  'api-client-secret-not-expiring': records('api-clients', ({ secretExpirationDate }, now) => {
    const left = secretExpirationDate - now
    return left > 0 && left <= thresholds.expiringHours * hourMs
  }),
  'api-client-secret-lifetime': records(
    'api-clients',
    ({ secretExpirationDate }, now) => secretExpirationDate - now > thresholds.lifetimeDays * dayMs,
  ),
  'api-client-least-privilege': (sight) => rolesMustFail(sight).excessiveClients,
  'api-client-role-active': (sight) => rolesMustFail(sight).unsoundClients,
  'auth-mfa-policy-enabled': settings(({ mfaEnabled }) => !mfaEnabled),
  'auth-sso-enforced': settings(({ ssoEnabled, ssoEnforced }) => !ssoEnabled || !ssoEnforced),
  'auth-settings-unchanged': (sight) => {
    const seen = sight.world.settings.within(sight.from('authentication-settings'), sight.to)
    const drifted = (field: string) =>
      seen.every((one) =>
        Object.entries(one).some(([name, value]) => name === field && value !== sight.firstSettings[field]),
      )
    return Object.keys(sight.firstSettings).filter(drifted)
  },
  'document-current': records(
    'documents',
    ({ updatedAt, createdAt }, now) => now - (updatedAt ?? createdAt) > thresholds.currentDays * dayMs,
  ),
  'document-processing-finished': statuses((status) => status === 'Processing'),
  'document-status-known': statuses((status) => status !== 'Processing' && status !== 'Completed'),
  'document-required-present': ({ world, presenceFrom, to }) => {
    const meets = (one: DocumentTruth | null) => one !== null && meetsRequirement(one)
    const from = presenceFrom('documents')
    const met = [...world.documents.ids()].some((id) => world.documents.within(id, from, to).some(meets))
    return met ? [] : ['policy']
  },
  'document-name-unique': ({ world, from, to }) => {
    const bearers = new Map<string, number>()
    for (const { fileId, filename } of world.documents.live()) {
      const kept = world.documents.within(fileId, from('documents'), to).every((one) => one?.filename === filename)
      if (kept) bearers.set(filename, (bearers.get(filename) ?? 0) + 1)
    }
    return [...bearers].flatMap(([name, count]) => (count > 1 ? [name] : []))
  },
  'user-mfa-enrolled': (sight) => {
    const policies = sight.world.settings.within(sight.from('authentication-settings'), sight.to)
    // Switched off, the policy counts until somebody has accepted that, which nobody does here.
    const wasOn = sight.firstSettings.mfaEnabled === true
    if (!wasOn && policies.some(({ mfaEnabled }) => !mfaEnabled)) return []
    return records('users', ({ mfaStatus }) => !mfaStatus)(sight)
  },
  'user-invitation-accepted': records(
    'users',
    ({ state, createdAt }, now) => state === 'Invited' && now - createdAt > thresholds.invitedHours * hourMs,
  ),
  'role-permissions-unchanged': rolesMustDrift,
  'user-role-active': (sight) => rolesMustFail(sight).unsoundUsers,
}

/** The records of a list that fail by every version within sight, by whichever clock. */
function records<L extends ListName>(list: L, fails: (record: Truths[L], now: number) => boolean): Evaluator {
  return ({ world, from, to, evaluatedAt }) => {
    const history = world.lists[list]
    const failsAlways = (one: Truths[L] | null) => one !== null && evaluatedAt.every((now) => fails(one, now))
    return [...history.ids()].filter((id) => history.within(id, from(list), to).every(failsAlways))
  }
}

/**
 * Since it was last done: `updatedAt ?? createdAt` when first mirrored so, else when the mirror saw it
 * (docs/checks.md).
 */
function statuses(fails: (status: string | null) => boolean): Evaluator {
  return (sight) =>
    records('documents', (document, now) => {
      const seenBy = sight.statusSeenBy(document)
      return fails(document.uploadStatus) && seenBy !== null && now - seenBy > thresholds.statusHours * hourMs
    })(sight)
}

function settings(fails: (settings: World['settings']['current']) => boolean): Evaluator {
  return ({ world, from, to }) =>
    world.settings.within(from('authentication-settings'), to).every(fails) ? ['authentication-settings'] : []
}

/** Codes by role id, as one instant had them. */
export type RoleCodes = ReadonlyMap<string, readonly string[]>

const codesOf = ({ permissions }: RoleTruth): readonly string[] =>
  [...new Set(permissions.map(({ code }) => code))].sort()

const asText = (codes: RoleCodes): string => JSON.stringify([...codes].sort(([a], [b]) => (a < b ? -1 : 1)))

const roleCodes = (roles: readonly RoleTruth[]): RoleCodes =>
  new Map(roles.map((role) => [String(role.roleId), codesOf(role)]))

/** The first states of all roles that the mirror keeps; null while it keeps none. */
export function keptRoles(query: (sql: string) => readonly unknown[]): RoleCodes | null {
  const states = acceptedStates(query, 'role-permissions-unchanged')
  return states.size === 0 ? null : new Map([...states].map(([id, state]) => [id, JSON.parse(state) as string[]]))
}

/** True when all roles of the tenant were so at one instant: half a picture is none to measure drift from. */
export function wereOnce(world: World, kept: RoleCodes): boolean {
  return world.roles.all().some((roles) => asText(roleCodes(roles)) === asText(kept))
}

/** Roles whose codes are not the kept ones, whatever instant within sight was read. */
function rolesMustDrift({ world, from, to, firstRoles }: Sight): readonly string[] {
  if (firstRoles === null) return []
  const seen = world.roles.within(from('roles'), to).map(roleCodes)
  const ids = new Set([...firstRoles.keys(), ...seen.flatMap((roles) => [...roles.keys()])])
  return [...ids].filter((id) =>
    seen.every((roles) => {
      const [before, present] = [firstRoles.get(id), roles.get(id)]
      // A role that came later and may do nothing is no drift.
      if (before === undefined) return present !== undefined && present.length > 0
      return JSON.stringify(before) !== JSON.stringify(present)
    }),
  )
}

interface Unsound {
  readonly excessiveClients: readonly string[]
  /** Those that grant too much or cannot be evaluated, because no role has their name. */
  readonly unclearClients: readonly string[]
  readonly unsoundClients: readonly string[]
  readonly unsoundUsers: readonly string[]
}

/** Findings by the roles, at any instants of clients, users and roles (docs/checks.md). */
function rolesMustFail(sight: Sight): Unsound {
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
