import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { identityOf } from '../evaluate/findings/identity.ts'
import { hourMs } from '../model/durations.ts'
import { hours } from './support/options.ts'
import { factsOf } from './support/records.ts'
import { assessRole } from './support/role-assessment.ts'
import { loadRoles, type MirroredRole } from './support/roles.ts'
import { loadUsersByRole, roleTitle } from './support/users-by-role.ts'
import { listed } from './support/words.ts'

const options = z.strictObject({
  /** Codes that the role of a user may grant; null = every code. */
  allowed: z.array(z.string().min(1)).nullable().default(null),
  roleIdHours: hours(24),
})

const notInvited = { field: 'state', not: 'Invited' } as const

export const userLeastPrivilege = defineCheck({
  id: 'user-least-privilege',
  title: 'No active user has more permissions than the allow-list',
  description:
    'The role of every user who is not merely invited grants only codes of `allowed`; states other than Active count as active, because the API does not specify them. The role is found by roleId if that was read within `roleIdHours`, else by role name if all roles of that name agree. If the role with that id has another name, every role of both counts. Without `allowed` the check does not apply.',
  risk: 'A stolen or misused account can do more than its work needs.',
  remediation: 'Give the user a role with fewer permissions, or add the codes to `allowed`.',
  alert: { name: 'UserOverprivileged', says: 'Users with excess permissions' },
  frameworks: [
    'soc2 CC6.1',
    'soc2 CC6.3',
    'iso27001 A.5.15',
    'iso27001 A.5.18',
    'iso27001 A.8.2',
    'iso27001 A.8.3',
    'nist80053 AC-6',
    'pcidss 7.2.2',
    'cis 6.8',
  ],
  severities: ['high'],
  evaluates: 'users',
  needs: ['roles'],
  entity: { type: 'user', isRecord: true, hasPlainIds: true },
  timeBased: false,
  material: ['roleName', 'excess'],
  options,
  isConfigured: ({ allowed }) => allowed !== null,
  async load(reader, { allowed, roleIdHours }, now, context) {
    const isFailing = (role: MirroredRole) => excessOf([role], allowed ?? []).length > 0
    const rule = { isFailing, missing: 'not_evaluated' } as const
    const assess = assessRole(await loadRoles(reader), context.incomplete.has('roles'), rule)
    return loadUsersByRole(reader, { users: notInvited, limitMs: roleIdHours * hourMs, now, assess })
  },
  evaluate({ user, reference, checkResult, roles }, { allowed }) {
    if (checkResult !== 'fails') return null
    const excess = excessOf(roles, allowed ?? [])
    return {
      entityId: user.key,
      severity: 'high',
      message: `User ${user.key} has excess permissions: ${roleTitle(reference, roles)} grants ${listed(excess)}.`,
      evidence: {
        ...factsOf(user, ['userId', 'state', 'roleId', 'roleName']),
        ...identityOf(user),
        excess,
        allowed,
        roles: roles.map(({ facts }) => facts),
      },
    }
  },
})

function excessOf(roles: readonly MirroredRole[], allowed: readonly string[]): readonly string[] {
  return [...new Set(roles.flatMap(({ codes }) => codes.filter((code) => !allowed.includes(code))))].sort()
}
