import * as z from 'zod'
import type { CheckContext, Outcome } from '../evaluate/check.ts'
import type { AcceptedState } from '../evaluate/decisions.ts'
import { firstOf } from '../model/text/words.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { defineCheck } from './support/define-check.ts'
import { assumesFirstState, expectationOf, withoutDrift } from './support/drift.ts'
import { quoted } from './support/records.ts'
import { type MirroredRole, type Roles, rolesIn, toRole } from './support/roles.ts'

const options = z.strictObject({
  /** Expected codes by `roleId` or by role name (`roleId` first). Other roles: the state last accepted. */
  baseline: z.record(z.string().min(1), z.array(z.string().min(1))).default({}),
})

type Baseline = z.output<typeof options>['baseline']

/** The entity is the set of a role's permissions, not the role record, because a removed role is drift too. */
export const rolePermissionsUnchanged = defineCheck({
  id: 'role-permissions-unchanged',
  title: 'The permissions of every role match the accepted state',
  failing: ['role differs from its accepted permissions', 'roles differ from their accepted permissions'],
  description:
    'Every role grants exactly its expected codes: those in the configured `baseline`, by role id or role name, such as `{ Auditor: [Api_Roles_Read, Api_Users_Read] }`, else those last accepted by an operator, else those of the first complete read of all roles.',
  risk: 'Every holder of the role may have permissions that nobody approved.',
  remediation:
    'Restore the role, or accept its present permissions: write it into the baseline, or run "tenantwatch accept DRIFT_ID --reason TEXT" with the id that "tenantwatch findings" shows.',
  alert: 'RolePermissionsDrift',
  frameworks:
    'soc2 CC6.3 CC7.1 CC7.2 CC8.1, iso27001 A.5.18 A.8.2 A.8.9 A.8.32, nist80053 AC-2(7) AC-6 CM-2 CM-3, pcidss 6.5.1 7.2.5, cis 4.1 6.8',
  severities: ['medium', 'high'],
  evaluates: 'roles',
  notEvaluatedWhere:
    'there is no state to compare with yet, or the role is missing from a list of roles that may be incomplete',
  entity: { type: 'role-permissions', isRecord: false },
  material: ['present', 'expected'],
  drift: {
    states: (records) => new Map(records.map(toRole).map((role) => [String(role.roleId), role.codes])),
  },
  options,
  assumption: assumesFirstState,
  begin({ baseline }, { accepted, incomplete }) {
    const records: MirrorRecord[] = []
    const isWhole = !incomplete.has('roles')
    return {
      record(role) {
        records.push(role)
        return null
      },
      *end() {
        for (const subject of subjectsOf(rolesIn(records), accepted, baseline)) {
          const isComparable = accepted !== null || subject.configured !== undefined
          // A missing role may only be unread.
          const isKnown = isWhole || subject.role !== undefined
          yield [subject.id, isComparable && isKnown ? outcomeOf(subject) : { kind: 'not_evaluated' }]
        }
      },
    }
  },
})

function outcomeOf({ id, role, configured, accepted }: Subject): Outcome {
  // A role that was added later was never accepted, so its expected state is none.
  const expectation = expectationOf(configured?.toSorted(), accepted, null)
  const before = codesOf(expectation.expected)
  const present = role?.codes ?? null
  const gained = without(present, before)
  const lost = without(before, present)
  const isGone = present === null && before !== null
  if (gained.length === 0 && lost.length === 0 && !isGone) return withoutDrift(expectation)
  return {
    kind: 'fails',
    severity: gained.length > 0 ? 'high' : 'medium',
    message: sentence({ id, role, before, gained, lost, from: expectation.expectedFrom }),
    evidence: { ...role?.facts, gained, lost, present, ...expectation, expected: before },
  }
}

function without(codes: readonly string[] | null, others: readonly string[] | null): readonly string[] {
  return codes?.filter((code) => others?.includes(code) !== true) ?? []
}

/** A role that is mirrored, accepted or named in the baseline. */
interface Subject {
  readonly id: string
  readonly role: MirroredRole | undefined
  readonly configured: readonly string[] | undefined
  readonly accepted: AcceptedState | undefined
}

function subjectsOf(
  { byId, byName }: Roles,
  accepted: CheckContext['accepted'],
  baseline: Baseline,
): readonly Subject[] {
  const live = [...byId.values()].map((role) => String(role.roleId))
  const named = Object.keys(baseline).filter((key) => !byName.has(key))
  const ids = [...new Set([...live, ...(accepted?.keys() ?? []), ...named])]
  return ids.map((id) => {
    const role = byId.get(Number(id))
    const own = Object.hasOwn(baseline, id) ? baseline[id] : undefined
    const byItsName = role !== undefined && Object.hasOwn(baseline, role.name) ? baseline[role.name] : undefined
    return { id, role, configured: own ?? byItsName, accepted: accepted?.get(id) }
  })
}

function codesOf(state: unknown): readonly string[] | null {
  return Array.isArray(state) ? state.map(String) : null
}

interface Change {
  readonly id: string
  /** Undefined when the role is removed. */
  readonly role: MirroredRole | undefined
  /** Null when the role is new. */
  readonly before: readonly string[] | null
  readonly gained: readonly string[]
  readonly lost: readonly string[]
  readonly from: string
}

function sentence({ id, role, before, gained, lost, from }: Change): string {
  if (role === undefined) {
    const title = /^-?\d+$/.test(id) ? `Role ${id}` : `Role ${quoted(id)}`
    return `${title} is gone: the ${from} has it with ${lost.length === 0 ? 'no permission' : firstOf(lost, 5)}.`
  }
  const title = `Role ${quoted(role.name)} (${role.roleId})`
  if (before === null) return `${title} is new and grants ${firstOf(gained, 5)}: the ${from} has no such role.`
  const changes = [
    ...(gained.length > 0 ? [`gained ${firstOf(gained, 5)}`] : []),
    ...(lost.length > 0 ? [`lost ${firstOf(lost, 5)}`] : []),
  ]
  return `${title} ${changes.join(' and ')} against the ${from}.`
}
