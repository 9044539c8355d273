import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import type { Condition } from '../mirror/query.ts'
import { factsOf, mapBatches } from './support/records.ts'
import { standingOf } from './support/role-standing.ts'
import { loadRoles, type MirroredRole } from './support/roles.ts'
import { quoted } from './support/words.ts'

const notInvited = { field: 'state', not: 'Invited' } as const

export const userRoleActive = defineCheck({
  id: 'user-role-active',
  title: "Every user's role exists and is active",
  description:
    'The role of every user that is not merely invited exists and is Active: by roleId when it is known, else by role name where all roles of that name agree.',
  risk: 'What the user may do is undefined, or comes back unseen when the role is activated again.',
  remediation: 'Give the user an active role.',
  severities: ['medium'],
  judges: 'users',
  needs: ['roles'],
  entity: { type: 'user', isRecord: true },
  timeBased: false,
  options: z.strictObject({}),
  async load(reader, _options, _now, context) {
    const roles = await loadRoles(reader)
    const standing = standingOf(roles, context.partial.has('roles'))
    const groups = await reader.countBy('users', ['roleId', 'roleName'], { all: [notInvited] })
    const judged = groups.map(({ values: [id, name], count }) => {
      const role = { roleId: typeof id === 'number' ? id : null, roleName: typeof name === 'string' ? name : null }
      return { ...role, count, verdict: standing(role).verdict }
    })
    const failing = conditionsOf(judged.filter(({ verdict }) => verdict === 'fails'))
    const unjudged = judged.filter(({ verdict }) => verdict === 'not_judged')
    const unjudgedWhere = conditionsOf(unjudged)
    return {
      population: sum(judged),
      notJudged: sum(unjudged),
      candidates:
        failing.length === 0
          ? []
          : mapBatches(reader.select('users', { all: [notInvited], anyOf: failing }), (user) => {
              const { roleId, roleName } = user.fields
              return { user, roles: standing({ roleId: idOf(roleId), roleName: nameOf(roleName) }).roles }
            }),
      async scope(key) {
        const self: Condition = { field: 'userId', is: Number(key) }
        if ((await reader.count('users', { all: [self, notInvited] })) === 0) return 'not_applicable'
        if (unjudgedWhere.length === 0) return 'judged'
        return (await reader.count('users', { all: [self], anyOf: unjudgedWhere })) > 0 ? 'not_judged' : 'judged'
      },
    }
  },
  evaluate({ user, roles }) {
    if (roles.some((role) => role.isActive)) return null
    const { roleId, roleName } = user.fields
    const title = typeof roleId === 'number' ? `role ${roleId}` : `the role name ${quoted(String(roleName))}`
    return {
      entityId: user.key,
      severity: 'medium',
      message: `User ${user.key} has ${title}, ${flawOf(roles)}.`,
      evidence: { ...factsOf(user, ['userId', 'state', 'roleId', 'roleName']), roles: roles.map(({ facts }) => facts) },
    }
  },
})

interface Group {
  readonly roleId: number | null
  readonly roleName: string | null
  readonly count: number
}

function conditionsOf(groups: readonly Group[]): Condition[][] {
  const ids = groups.flatMap(({ roleId }) => (roleId === null ? [] : [roleId]))
  const unread = groups.filter(({ roleId }) => roleId === null)
  const names = unread.flatMap(({ roleName }) => (roleName === null ? [] : [roleName]))
  const noId: Condition = { field: 'roleId', is: null }
  return [
    ...(ids.length > 0 ? [[{ field: 'roleId', in: ids }]] : []),
    ...(names.length > 0 ? [[noId, { field: 'roleName', in: names }]] : []),
    ...(unread.length > names.length ? [[noId, { field: 'roleName', is: null }]] : []),
  ]
}

const sum = (groups: readonly Group[]) => groups.reduce((total, { count }) => total + count, 0)
const idOf = (value: unknown) => (typeof value === 'number' ? value : null)
const nameOf = (value: unknown) => (typeof value === 'string' ? value : null)

function flawOf(roles: readonly MirroredRole[]): string {
  if (roles.length === 0) return 'which does not exist'
  const states = [...new Set(roles.map(({ facts }) => quoted(String(facts['state']))))].join(' and ')
  return roles.length === 1 ? `which is in state ${states}` : `whose ${roles.length} roles are in state ${states}`
}
