import * as z from 'zod'
import { memoizeWeakly } from '../model/memoize.ts'
import { dayMs, hourMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { identifiedFacts } from './support/records.ts'
import { excessOf, type MirroredRole } from './support/roles.ts'
import { hours } from './support/time-limits.ts'
import { roleTitle, usersByRole } from './support/users-by-role.ts'

const options = z.strictObject({
  /** Codes that the role of a user may grant; null = every code. */
  allowed: z.array(z.string().min(1)).nullable().default(null),
  roleIdHours: hours(24),
})

export const userLeastPrivilege = defineCheck({
  id: 'user-least-privilege',
  title: 'No active user has more permissions than the allow-list',
  failing: ['user has more permissions than allowed', 'users have more permissions than allowed'],
  description:
    'The role of every user who is not in state Invited grants only codes of `allowed`; unspecified states count as active. The role is found by roleId if that was read within `roleIdHours`, else by role name if all roles of that name agree. If the role with that id has another name than roleName, that role and all named roleName count. Without `allowed` the check does not apply.',
  risk: 'A stolen or misused account can do more than its work needs.',
  remediation: 'Give the user a role with fewer permissions, or add the codes to checks.user-least-privilege.allowed.',
  alert: 'UserOverprivileged',
  frameworks: 'soc2 CC6.1 CC6.3, iso27001 A.5.15 A.5.18 A.8.2 A.8.3, nist80053 AC-6, pcidss 7.2.2, cis 6.8',
  severities: ['high'],
  evaluates: 'users',
  needs: ['roles'],
  notEvaluatedWhere:
    'the role is unknown, roles of its name differ, the list of roles may be incomplete, or user and roles were not read together since one of them changed',
  comparesReads: ({ roleIdHours }) => Math.max(dayMs, roleIdHours * hourMs),
  material: ['roleName', 'excess'],
  options,
  isConfigured: ({ allowed }) => allowed !== null,
  begin({ allowed, roleIdHours }, context) {
    const isAllowed = new Set(allowed)
    const isExcess = (code: string) => !isAllowed.has(code)
    const excessIn = memoizeWeakly((roles: readonly MirroredRole[]) => excessOf(roles, isExcess))
    return usersByRole(
      {
        isFailing: memoizeWeakly(({ codes }: MirroredRole) => codes.some(isExcess)),
        missing: 'not_evaluated',
        limitMs: roleIdHours * hourMs,
        failure(user, reference, roles) {
          const excess = excessIn(roles)
          return {
            severity: 'high',
            message: `User ${user.key} has excess permissions: ${roleTitle(reference, roles)} grants ${excess.codes}.`,
            evidence: {
              ...identifiedFacts(user, ['userId', 'state', 'roleId', 'roleName']),
              ...excess.evidence,
              allowed,
            },
          }
        },
      },
      context,
    )
  },
})
