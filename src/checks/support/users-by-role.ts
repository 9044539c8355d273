import type { Loaded } from '../../evaluate/check.ts'
import { futureToleranceMs, isFresh } from '../../model/freshness.ts'
import type { ConditionOn, MirrorRecord, RecordReader } from '../../store/records/query.ts'
import { firstKeys, mapBatches, textOf } from './records.ts'
import type { RoleAssessment, RoleReference } from './role-assessment.ts'
import { countOf, mayBeOf, roleGroups } from './role-groups.ts'
import { quoted } from './words.ts'

export interface UserOfRole extends RoleAssessment {
  readonly user: MirrorRecord
  readonly reference: RoleReference
}

export interface UsersByRole {
  readonly users: ConditionOn<'users'>
  /** How long a `roleId` is valid after it was read, in milliseconds. */
  readonly limitMs: number
  readonly now: number
  readonly assess: (reference: RoleReference) => RoleAssessment
}

/**
 * Loads the users whose role fails. A user may get another role of the same name, which only appears in the user's
 * details. So a `roleId` is valid for a limited time. After that the role name decides, which every full sync reads,
 * and users with an ambiguous role name are not evaluated; details are read of these users first.
 */
export async function loadUsersByRole(
  reader: RecordReader,
  { users, limitMs, now, assess }: UsersByRole,
): Promise<Loaded<UserOfRole>> {
  const evaluator = (user: MirrorRecord) => {
    const reference = referenceOf(user, limitMs, now)
    return { user, reference, ...assess(reference) }
  }
  const groups = await roleGroups(reader, { users: [users], idKnown: idKnown(limitMs, now), assess })
  const failing = groups.filter(({ checkResult }) => checkResult === 'fails')
  const notEvaluated = groups.filter(({ checkResult }) => checkResult === 'not_evaluated')
  const nameless = notEvaluated.some(({ roleId, roleName }) => roleId === null && roleName === null)
  const unnamed: readonly ConditionOn<'users'>[] = [{ field: 'roleName', is: null }]
  const unevaluatedUsers = { all: [users], anyOf: [...mayBeOf(notEvaluated), ...(nameless ? [unnamed] : [])] }
  const isNotEvaluated = (user: MirrorRecord) => evaluator(user).checkResult === 'not_evaluated'
  return {
    population: countOf(groups),
    ages: groups.some(({ ages }) => ages),
    notEvaluated: countOf(notEvaluated),
    unevaluated: notEvaluated.length === 0 ? [] : await firstKeys(reader, 'users', unevaluatedUsers, isNotEvaluated),
    candidates:
      failing.length === 0
        ? []
        : mapBatches(reader.select('users', { all: [users], anyOf: mayBeOf(failing) }), evaluator),
    async scope(key) {
      const self: ConditionOn<'users'> = { field: 'userId', is: Number(key) }
      for await (const [user] of reader.select('users', { all: [self, users] }))
        if (user !== undefined) return evaluator(user).checkResult === 'not_evaluated' ? 'not_evaluated' : 'evaluated'
      return 'not_applicable'
    },
  }
}

/** The user's role in a message; by id and name when they refer to different roles. */
export function roleTitle({ roleId, roleName }: RoleReference, roles: RoleAssessment['roles']): string {
  if (roleId !== null && roles.length > 1) return `role ${roleId} by id and ${quoted(String(roleName))} by name`
  return roleId !== null ? `role ${roleId}` : `the role name ${quoted(String(roleName))}`
}

function idKnown(limitMs: number, now: number): readonly ConditionOn<'users'>[] {
  return [
    { field: 'detailReadAt', above: Math.ceil(now - limitMs) - 1 },
    { field: 'detailReadAt', atMost: now + futureToleranceMs },
  ]
}

function referenceOf(user: MirrorRecord, limitMs: number, now: number): RoleReference {
  const { roleId } = user.fields
  const isKnown = typeof roleId === 'number' && isFresh(user.times['detailReadAt'] ?? null, limitMs, now)
  return { roleId: isKnown ? roleId : null, roleName: textOf(user, 'roleName') }
}
