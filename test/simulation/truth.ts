import { dayMs, hourMs } from '../../src/model/durations.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { meetsRequirement, thresholds } from './machine-settings.ts'
import { type RoleCodes, rolesMustDrift } from './truth-drift.ts'
import { rolesMustFail } from './truth-roles.ts'
import type { ClientTruth, DocumentTruth, UserTruth, World } from './world.ts'

/** Instants of the world that a check result may be based on. */
export interface Sight {
  readonly world: World
  /** Earliest instant that the data of a resource may be of. */
  readonly from: (resource: ResourceName) => number
  /** The same for what only an absence from two full syncs takes away (docs/sync.md#5-removal). */
  readonly presenceFrom: (resource: ResourceName) => number
  readonly to: number
  /** The evaluate's time, as each clock may have shown it. */
  readonly evaluatedAt: readonly number[]
  /**
   * Earliest instant that a user's `roleId` may be of: a failed detail read changes nothing
   * (docs/sync.md#16-details).
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
 * snapshot, and each input has its own age (docs/status.md#freshness). With one instant in sight it is the exact check
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
  'api-client-secret-not-expired': clients(({ secretExpirationDate }, now) => secretExpirationDate <= now),
  'api-client-secret-not-expiring': clients(({ secretExpirationDate }, now) => {
    const left = secretExpirationDate - now
    return left > 0 && left <= thresholds.expiringHours * hourMs
  }),
  'api-client-secret-lifetime': clients(
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
  'document-current': documents(
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
    return users(({ mfaStatus }) => !mfaStatus)(sight)
  },
  'user-invitation-accepted': users(
    ({ state, createdAt }, now) => state === 'Invited' && now - createdAt > thresholds.invitedHours * hourMs,
  ),
  'role-permissions-unchanged': rolesMustDrift,
  'user-role-active': (sight) => rolesMustFail(sight).unsoundUsers,
}

function users(fails: (user: UserTruth, now: number) => boolean): Evaluator {
  return ({ world, from, to, evaluatedAt }) =>
    [...world.users.ids()].filter((id) =>
      world.users
        .within(id, from('users'), to)
        .every((user) => user !== null && evaluatedAt.every((now) => fails(user, now))),
    )
}

function clients(fails: (client: ClientTruth, now: number) => boolean): Evaluator {
  return ({ world, from, to, evaluatedAt }) =>
    [...world.clients.ids()].filter((id) =>
      world.clients
        .within(id, from('api-clients'), to)
        .every((client) => client !== null && evaluatedAt.every((now) => fails(client, now))),
    )
}

function documents(fails: (document: DocumentTruth, now: number) => boolean): Evaluator {
  return ({ world, from, to, evaluatedAt }) =>
    [...world.documents.ids()].filter((id) =>
      world.documents
        .within(id, from('documents'), to)
        .every((document) => document !== null && evaluatedAt.every((now) => fails(document, now))),
    )
}

/**
 * Since it was last done: `updatedAt ?? createdAt` when first mirrored so, else when the mirror saw it
 * (docs/checks.md).
 */
function statuses(fails: (status: string | null) => boolean): Evaluator {
  return (sight) =>
    documents((document, now) => {
      const seenBy = sight.statusSeenBy(document)
      return fails(document.uploadStatus) && seenBy !== null && now - seenBy > thresholds.statusHours * hourMs
    })(sight)
}

function settings(fails: (settings: World['settings']['current']) => boolean): Evaluator {
  return ({ world, from, to }) =>
    world.settings.within(from('authentication-settings'), to).every(fails) ? ['authentication-settings'] : []
}
