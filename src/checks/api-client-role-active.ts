import * as z from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { identityOf } from '../evaluate/findings/identity.ts'
import type { WhereOn } from '../store/records/query.ts'
import { rolesEvidence } from './support/bounded-list.ts'
import { clientRoleNames, clientTitle, unevaluatedClients } from './support/clients.ts'
import { factsOf, mapBatches, textOf } from './support/records.ts'
import { loadRoles, type MirroredRole } from './support/roles.ts'
import { quoted } from './support/words.ts'

export const apiClientRoleActive = defineCheck({
  id: 'api-client-role-active',
  title: "Every API client's role name belongs to exactly one role, and the role is active",
  description:
    "Exactly one role has the client's role name, and its state is Active. A client whose role name no role has is not evaluated until roles are read again after the client.",
  risk: "The client's permissions are undefined, or change unnoticed when an inactive or duplicate role is edited.",
  remediation: 'Give the client an active role, or rename duplicate roles.',
  alert: {
    name: 'ClientRoleBroken',
    summary: {
      one: 'API client does not have exactly one active role',
      other: 'API clients do not have exactly one active role',
    },
  },
  frameworks: ['soc2 CC6.3', 'iso27001 A.5.15', 'iso27001 A.5.18', 'nist80053 AC-3', 'pcidss 7.2.5', 'cis 6.8'],
  severities: ['medium'],
  evaluates: 'api-clients',
  needs: ['roles'],
  notEvaluatedWhere: 'the role name is missing, or belongs to no role and roles were last read before the client',
  entity: { type: 'api-client', isRecord: true, hasPlainIds: true },
  timeBased: false,
  comparesReads: true,
  material: ['roleName', 'roles.roleId', 'roles.state'],
  options: z.strictObject({}),
  async load(reader, _options, _now, context) {
    const roles = await loadRoles(reader)
    const { known, missing, unnamed } = await clientRoleNames(reader, roles)
    const broken = known.names.filter((name) => name !== null && !isUniqueAndActive(roles.byName.get(name) ?? []))
    // After a role was renamed, clients that were read later than the roles have its new name.
    const rolesAt = context.incomplete.has('roles') ? 0 : context.readInFullAt('roles')
    const isMissing = { field: 'roleName', in: missing.names } as const
    const newer = [isMissing, { field: 'readAt', above: rolesAt }] as const
    const unread = missing.clients > 0 ? await reader.count('api-clients', { all: newer }) : 0
    const notEvaluated = unread + unnamed.clients
    const { unevaluated, isUnevaluated } = await unevaluatedClients(reader, notEvaluated, newer)
    const failing: WhereOn<'api-clients'> = {
      anyOf: [[{ field: 'roleName', in: broken }], [isMissing, { field: 'readAt', atMost: rolesAt }]],
    }
    return {
      population: known.clients + missing.clients + unnamed.clients,
      notEvaluated,
      unevaluated,
      candidates: mapBatches(reader.select('api-clients', failing), (client) => ({
        client,
        roles: roles.byName.get(textOf(client, 'roleName') ?? '') ?? [],
      })),
      scope: async (id) => ((await isUnevaluated(id)) ? 'not_evaluated' : 'evaluated'),
    }
  },
  evaluate({ client, roles }) {
    if (isUniqueAndActive(roles)) return null
    const name = quoted(textOf(client, 'roleName') ?? '')
    return {
      entityId: client.key,
      severity: 'medium',
      message: `${clientTitle(client)} has the role name ${name}, ${problemOf(roles)}.`,
      evidence: {
        ...factsOf(client, ['clientId', 'name', 'roleName']),
        ...identityOf(client),
        ...rolesEvidence(roles),
      },
    }
  },
})

function isUniqueAndActive(roles: readonly MirroredRole[]): boolean {
  return roles.length === 1 && roles.every((role) => role.isActive)
}

function problemOf(roles: readonly MirroredRole[]): string {
  const [role] = roles
  if (role === undefined) return 'which no role has'
  if (roles.length > 1) return `which ${roles.length} roles have`
  return `whose role ${role.roleId} is in state ${quoted(String(role.facts['state']))}`
}
