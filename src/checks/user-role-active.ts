import * as z from 'zod'
import { dayMs, hourMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { identifiedFacts, quoted } from './support/records.ts'
import { isActiveRole, type MirroredRole, rolesEvidence } from './support/roles.ts'
import { hours } from './support/time-limits.ts'
import { roleTitle, usersByRole } from './support/users-by-role.ts'

export const userRoleActive = defineCheck({
  id: 'user-role-active',
  title: "Every user's role exists and is active",
  failing: ['user has a role that is missing or not active', 'users have a role that is missing or not active'],
  description:
    'The role of every user who is not in state Invited exists and is Active. The role is found by roleId if that was read within `roleIdHours`, else by role name if all roles of that name agree. If the role with that id has another name than roleName, that role and all roles named roleName count.',
  risk: "The user's permissions are undefined, or return unnoticed when the role is activated again.",
  remediation: 'Give the user an active role.',
  alert: 'UserRoleBroken',
  frameworks: 'soc2 CC6.2 CC6.3, iso27001 A.5.15 A.5.18 A.8.3, nist80053 AC-2 AC-3, pcidss 7.2.2, cis 6.1 6.8',
  severities: ['medium'],
  evaluates: 'users',
  needs: ['roles'],
  notEvaluatedWhere:
    'the role is unknown, roles of its name differ or are in a state outside roles.knownStates, the roles may be incomplete, or user and roles were not read together since one of them changed',
  comparesReads: ({ roleIdHours }) => Math.max(dayMs, roleIdHours * hourMs),
  material: ['state', 'roleName'],
  ruleContext: ({ knownRoleStates }) => [...knownRoleStates].sort(),
  options: z.strictObject({ roleIdHours: hours(24) }),
  begin: ({ roleIdHours }, context) =>
    usersByRole(
      {
        isFailing: (role) => not(isActiveRole(role, context.knownRoleStates)),
        missing: 'fails',
        limitMs: roleIdHours * hourMs,
        failure: (user, reference, roles) => ({
          severity: 'medium',
          message: `User ${user.key} has ${roleTitle(reference, roles)}, ${problemOf(roles)}.`,
          evidence: {
            ...identifiedFacts(user, ['userId', 'state', 'roleId', 'roleName']),
            ...rolesEvidence(roles),
          },
        }),
      },
      context,
    ),
})

const not = (active: boolean | null) => (active === null ? null : !active)

function problemOf(roles: readonly MirroredRole[]): string {
  if (roles.length === 0) return 'which does not exist'
  const states = [...new Set(roles.map(({ facts }) => String(facts['state'])))].map(quoted).join(' and ')
  return roles.length === 1 ? `which is in state ${states}` : `whose ${roles.length} roles are in state ${states}`
}
