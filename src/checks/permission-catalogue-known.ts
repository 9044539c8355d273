import { ok } from '../evaluate/check.ts'
import { firstOf } from '../model/text/words.ts'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { quoted, textOf } from './support/records.ts'
import { boundedList, toRole } from './support/roles.ts'

export const permissionCatalogueKnown = defineCheck({
  id: 'permission-catalogue-known',
  title: 'Every code that a role grants is in the permission list',
  failing: [
    'role grants a code that is not in the permission list',
    'roles grant codes that are not in the permission list',
  ],
  description: 'No role grants a code that is missing from the list of assignable permissions.',
  risk: 'An undocumented permission is missed in access reviews.',
  remediation: 'Ask the vendor what the code permits, and remove it from the role if nobody needs it.',
  alert: 'PermissionUnlisted',
  frameworks: 'soc2 CC6.3, iso27001 A.5.18, nist80053 AC-2(7), cis 6.8',
  severities: ['info'],
  evaluates: 'roles',
  needs: ['permissions'],
  notEvaluatedWhere: 'the list of permissions may be incomplete or older than the role',
  comparesReads: () => dayMs,
  material: ['unlisted'],
  begin(_options, { incomplete, needed, readInFullAt }) {
    const codes = new Set(needed('permissions').map((permission) => textOf(permission, 'code')))
    // While the mirror may lack permissions, as a new one of a role that was read later, an unlisted code is no proof.
    const permissionsAt = incomplete.has('permissions') ? 0 : readInFullAt('permissions')
    return {
      record(record) {
        const role = toRole(record)
        const unlisted = role.codes.filter((code) => !codes.has(code))
        if (unlisted.length === 0) return ok
        if (record.readAt > permissionsAt) return { kind: 'not_evaluated' }
        return {
          kind: 'fails',
          severity: 'info',
          message: `Role ${quoted(role.name)} (${role.roleId}) grants ${firstOf(unlisted, 5)}, not in the permission list.`,
          evidence: { ...role.facts, ...boundedList('unlisted', unlisted) },
        }
      },
    }
  },
})
