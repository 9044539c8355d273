import type { ConditionOn, RecordReader } from '../../mirror/records/query.ts'
import type { RoleReference, Standing } from './role-standing.ts'

/** Users who refer to a role in the same way. */
export interface RoleGroup extends RoleReference {
  readonly count: number
  /** True when another time since the reading of `roleId` would put users into another group. */
  readonly ages: boolean
  readonly checkResult: Standing['checkResult']
}

export interface GroupQuestion {
  /** Conditions on the users to be grouped. */
  readonly users: readonly ConditionOn<'users'>[]
  /** Conditions that those meet whose `roleId` was read so lately that it is known. */
  readonly idKnown: readonly ConditionOn<'users'>[]
  readonly standing: (reference: RoleReference) => Standing
}

/** Groups users by how they refer to their role, with what can be said of each group. */
export async function roleGroups(
  reader: RecordReader,
  { users, idKnown, standing }: GroupQuestion,
): Promise<readonly RoleGroup[]> {
  const groups: RoleGroup[] = []
  const add = (reference: RoleReference, count: number, ages: boolean) => {
    if (count > 0) groups.push({ ...reference, count, ages, checkResult: standing(reference).checkResult })
  }
  for (const { values, count } of await reader.countBy('users', ['roleId', 'roleName'], { all: users })) {
    const [id, name] = values
    const byId = { roleId: typeof id === 'number' ? id : null, roleName: typeof name === 'string' ? name : null }
    const byName = { ...byId, roleId: null }
    // How long ago the id was read matters only where the name does not tell the same.
    const isSame = standing(byId).checkResult === standing(byName).checkResult
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
 * Alternatives of which every user of these groups meets one; others of the same name may, too. The name is always
 * named: by it an index finds the users.
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
