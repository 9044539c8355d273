import { ok } from '../evaluate/check.ts'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { identifiedFacts, quoted, textOf } from './support/records.ts'
import {
  clientTitle,
  isActiveRole,
  type MirroredRole,
  roleNamesOf,
  rolesEvidence,
  rolesIn,
  rolesOfClient,
} from './support/roles.ts'

export const apiClientRoleActive = defineCheck({
  id: 'api-client-role-active',
  title: "Every API client's role name belongs to exactly one role, and the role is active",
  failing: ['API client does not have exactly one active role', 'API clients do not have exactly one active role'],
  description:
    "Exactly one role has the client's role name, and its state is Active. A client whose role name no role has is not evaluated until roles are read again after the client.",
  risk: "The client's permissions are undefined, or change unnoticed when an inactive or duplicate role is edited.",
  remediation: 'Give the client an active role, or rename duplicate roles.',
  alert: 'ClientRoleBroken',
  frameworks: 'soc2 CC6.3, iso27001 A.5.15 A.5.18, nist80053 AC-3, pcidss 7.2.5, cis 6.8',
  severities: ['medium'],
  evaluates: 'api-clients',
  needs: ['roles'],
  notEvaluatedWhere: 'the role name is missing, or client and roles were not read together since one of them changed',
  comparesReads: () => dayMs,
  material: ['roleName', 'roles.roleId', 'roles.state'],
  ruleContext: ({ knownRoleStates }) => [...knownRoleStates].sort(),
  begin(_options, context) {
    const { incomplete, knownRoleStates, needed } = context
    const roles = rolesIn(needed('roles'))
    const { readsHistoryOf, meansAnother } = roleNamesOf(context, 'api-clients')
    return {
      readsHistoryOf,
      record(client, history) {
        const found = rolesOfClient(client, roles)
        const mayBeMissing = found?.length === 0 && incomplete.has('roles')
        if (found === null || mayBeMissing || meansAnother(client, history)) return { kind: 'not_evaluated' }
        const [role, ...others] = found
        const isActive = role !== undefined && others.length === 0 ? isActiveRole(role, knownRoleStates) : false
        if (isActive === null) return { kind: 'not_evaluated' }
        if (isActive) return ok
        const name = quoted(textOf(client, 'roleName') ?? '')
        return {
          kind: 'fails',
          severity: 'medium',
          message: `${clientTitle(client)} has the role name ${name}, ${problemOf(found)}.`,
          evidence: {
            ...identifiedFacts(client, ['clientId', 'name', 'roleName']),
            ...rolesEvidence(found),
          },
        }
      },
    }
  },
})

function problemOf(roles: readonly MirroredRole[]): string {
  const [role] = roles
  if (role === undefined) return 'which no role has'
  if (roles.length > 1) return `which ${roles.length} roles have`
  return `whose role ${role.roleId} is in state ${quoted(String(role.facts['state']))}`
}
