import * as z from 'zod'
import { defineCheck, maxUnevaluatedIds } from '../evaluate/check.ts'
import type { RecordReader } from '../store/records/query.ts'
import { boundedList } from './support/bounded-list.ts'
import { textOf } from './support/records.ts'
import { loadRoles, type MirroredRole } from './support/roles.ts'
import { listed, quoted } from './support/words.ts'

export const permissionCatalogueKnown = defineCheck({
  id: 'permission-catalogue-known',
  title: 'Every code that a role grants is in the permission list',
  description: 'No role grants a code that is missing from the list of assignable permissions.',
  risk: 'An undocumented permission is missed in access reviews.',
  remediation: 'Ask the vendor what the code permits, and remove it from the role if nobody needs it.',
  alert: {
    name: 'PermissionUnlisted',
    summary: {
      one: 'role grants codes that are not in the permission list',
      other: 'roles grant codes that are not in the permission list',
    },
  },
  frameworks: ['soc2 CC6.3', 'iso27001 A.5.18', 'nist80053 AC-2(7)', 'cis 6.8'],
  severities: ['info'],
  evaluates: 'roles',
  needs: ['permissions'],
  notEvaluatedWhere: 'the list of permissions may be incomplete',
  entity: { type: 'role', isRecord: true, hasPlainIds: true },
  timeBased: false,
  material: ['unlisted'],
  options: z.strictObject({}),
  async load(reader, _options, _now, { incomplete }) {
    const [roles, listedCodes] = [await loadRoles(reader), await codesOf(reader)]
    const evaluated = [...roles.byId.values()].map((role) => ({
      role,
      unlisted: role.codes.filter((code) => !listedCodes.has(code)),
    }))
    // While the mirror may lack permissions, an unlisted code is no proof.
    const failing = evaluated.filter(({ unlisted }) => unlisted.length > 0)
    const isWhole = !incomplete.has('permissions')
    const unevaluated = new Set(isWhole ? [] : failing.map(({ role }) => String(role.roleId)))
    return {
      population: evaluated.length,
      notEvaluated: unevaluated.size,
      unevaluated: [...unevaluated].slice(0, maxUnevaluatedIds),
      candidates: isWhole ? [failing] : [],
      scope: async (id) => (unevaluated.has(id) ? 'not_evaluated' : 'evaluated'),
    }
  },
  evaluate({ role, unlisted }: { readonly role: MirroredRole; readonly unlisted: readonly string[] }) {
    return {
      entityId: String(role.roleId),
      severity: 'info',
      message: `Role ${quoted(role.name)} (${role.roleId}) grants ${listed(unlisted)}, not in the permission list.`,
      evidence: { ...role.facts, ...boundedList('unlisted', unlisted) },
    }
  },
})

async function codesOf(reader: RecordReader): Promise<ReadonlySet<string | null>> {
  const codes = new Set<string | null>()
  for await (const batch of reader.select('permissions')) for (const record of batch) codes.add(textOf(record, 'code'))
  return codes
}
