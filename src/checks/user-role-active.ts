import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { identityOf } from '../evaluate/identity.ts'
import type { Condition, MirrorRecord } from '../mirror/query.ts'
import { hourMs } from '../model/durations.ts'
import { futureToleranceMs, isFresh } from '../model/freshness.ts'
import { hours } from './support/options.ts'
import { factsOf, mapBatches, textOf } from './support/records.ts'
import { countOf, mayBeOf, roleGroups } from './support/role-groups.ts'
import { type RoleReference, standingOf } from './support/role-standing.ts'
import { loadRoles, type MirroredRole } from './support/roles.ts'
import { quoted } from './support/words.ts'

const notInvited = { field: 'state', not: 'Invited' } as const

/**
 * A user may be given another role of the same name, which no list shows, only reading the user again. So a `roleId` is
 * known for `roleIdHours` from when it was read; beyond that the name decides, which every sweep shows anew, and where
 * roles of that name differ nothing passes. The rotation of details reads users of such names first.
 */
export const userRoleActive = defineCheck({
  id: 'user-role-active',
  title: "Every user's role exists and is active",
  description:
    'The role of every user that is not merely invited exists and is Active: by roleId when it was read within `roleIdHours`, else by role name where all roles of that name agree.',
  risk: 'What the user may do is undefined, or comes back unseen when the role is activated again.',
  remediation: 'Give the user an active role.',
  alert: { name: 'UserRoleBroken', says: 'Users whose role is missing or not active' },
  severities: ['medium'],
  judges: 'users',
  needs: ['roles'],
  entity: { type: 'user', isRecord: true, hasPlainIds: true },
  timeBased: false,
  material: ['state', 'roleName'],
  options: z.strictObject({ roleIdHours: hours(24) }),
  async load(reader, options, now, context) {
    const limitMs = options.roleIdHours * hourMs
    const standing = standingOf(await loadRoles(reader), context.incomplete.has('roles'))
    const judge = (user: MirrorRecord) => {
      const reference = referenceOf(user, limitMs, now)
      return { user, reference, ...standing(reference) }
    }
    const groups = await roleGroups(reader, { users: [notInvited], idKnown: idKnown(limitMs, now), standing })
    const failing = groups.filter(({ verdict }) => verdict === 'fails')
    return {
      population: countOf(groups),
      ages: groups.some(({ ages }) => ages),
      notJudged: countOf(groups.filter(({ verdict }) => verdict === 'not_judged')),
      candidates:
        failing.length === 0
          ? []
          : mapBatches(reader.select('users', { all: [notInvited], anyOf: mayBeOf(failing) }), judge),
      async scope(key) {
        const self: Condition = { field: 'userId', is: Number(key) }
        for await (const [user] of reader.select('users', { all: [self, notInvited] }))
          if (user !== undefined) return judge(user).verdict === 'not_judged' ? 'not_judged' : 'judged'
        return 'not_applicable'
      },
    }
  },
  evaluate({ user, reference, verdict, roles }) {
    if (verdict !== 'fails') return null
    const { roleId, roleName } = reference
    const title = roleId !== null ? `role ${roleId}` : `the role name ${quoted(String(roleName))}`
    return {
      entityId: user.key,
      severity: 'medium',
      message: `User ${user.key} has ${title}, ${flawOf(roles)}.`,
      evidence: {
        ...factsOf(user, ['userId', 'state', 'roleId', 'roleName']),
        ...identityOf(user),
        roles: roles.map(({ facts }) => facts),
      },
    }
  },
})

function idKnown(limitMs: number, now: number): readonly Condition[] {
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

function flawOf(roles: readonly MirroredRole[]): string {
  if (roles.length === 0) return 'which does not exist'
  const states = [...new Set(roles.map(({ facts }) => quoted(String(facts['state']))))].join(' and ')
  return roles.length === 1 ? `which is in state ${states}` : `whose ${roles.length} roles are in state ${states}`
}
