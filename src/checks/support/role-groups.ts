import type { ConditionOn, RecordReader } from '../../store/records/query.ts'
import type { RoleAssessment, RoleReference } from './role-assessment.ts'

export interface RoleGroup extends RoleReference {
  readonly count: number
  /** True if the check result of these users changes when `roleId` becomes too old. */
  readonly ages: boolean
  readonly checkResult: RoleAssessment['checkResult']
}

export interface GroupOptions {
  readonly users: readonly ConditionOn<'users'>[]
  /** Conditions of users whose `roleId` was read recently enough to be known. */
  readonly idKnown: readonly ConditionOn<'users'>[]
  readonly assess: (reference: RoleReference) => RoleAssessment
}

/** Groups users by role reference, with the check result of each group. */
export async function roleGroups(
  reader: RecordReader,
  { users, idKnown, assess }: GroupOptions,
): Promise<readonly RoleGroup[]> {
  const groups: RoleGroup[] = []
  const add = (reference: RoleReference, count: number, ages: boolean) => {
    if (count > 0) groups.push({ ...reference, count, ages, checkResult: assess(reference).checkResult })
  }
  for (const { values, count } of await reader.countBy('users', ['roleId', 'roleName'], { all: users })) {
    const [id, name] = values
    const byId = { roleId: typeof id === 'number' ? id : null, roleName: typeof name === 'string' ? name : null }
    const byName = { ...byId, roleId: null }
    // The age of the id only matters if the role name would give another result.
    const isSame = assess(byId).checkResult === assess(byName).checkResult
    const own: readonly ConditionOn<'users'>[] = [
      { field: 'roleId', is: byId.roleId },
      { field: 'roleName', is: byId.roleName },
    ]
    const known = isSame ? count : await reader.count('users', { all: [...users, ...own, ...idKnown] })
    add(byId, known, !isSame)
    add(byName, count - known, !isSame)
  }
  return groups
}

/**
 * Alternative conditions that select every user of these groups, and possibly others with the same role name. Each names
 * the role name so that an index applies.
 */
export function mayBeOf(groups: readonly RoleGroup[]): readonly (readonly ConditionOn<'users'>[])[] {
  const byId = groups.filter(({ roleId }) => roleId !== null)
  const names = namesOf(groups.filter(({ roleId }) => roleId === null))
  return [
    ...alternative(namesOf(byId), byId),
    ...(names.length > 0 ? [[{ field: 'roleName', in: names } as const]] : []),
    ...alternative(
      null,
      byId.filter(({ roleName }) => roleName === null),
    ),
  ]
}

function alternative(
  names: readonly string[] | null,
  groups: readonly RoleGroup[],
): readonly (readonly ConditionOn<'users'>[])[] {
  if (groups.length === 0 || names?.length === 0) return []
  const ids = { field: 'roleId', in: groups.map(({ roleId }) => roleId) } as const
  return [[names === null ? { field: 'roleName', is: null } : { field: 'roleName', in: names }, ids]]
}

function namesOf(groups: readonly RoleGroup[]): readonly string[] {
  return [...new Set(groups.flatMap(({ roleName }) => roleName ?? []))]
}

export function countOf(groups: readonly RoleGroup[]): number {
  return groups.reduce((total, { count }) => total + count, 0)
}
