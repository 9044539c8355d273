import { memoizeWeakly } from '../../model/memoize.ts'
import type { MirrorRecord } from '../../store/records/query.ts'
import { factsOf } from './records.ts'

export interface MirroredRole {
  readonly roleId: number
  readonly name: string
  readonly isActive: boolean
  readonly codes: readonly string[]
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Roles {
  readonly byId: ReadonlyMap<number, MirroredRole>
  readonly byName: ReadonlyMap<string, readonly MirroredRole[]>
}

/** All roles of the tenant; names are compared as sent. */
export const rolesIn = memoizeWeakly((records: readonly MirrorRecord[]): Roles => {
  const roles = records.map(toRole)
  return {
    byId: new Map(roles.map((role) => [role.roleId, role])),
    byName: Map.groupBy(roles, ({ name }) => name),
  }
})

export function toRole(record: MirrorRecord): MirroredRole {
  const { roleId, name, state, permissions } = record.fields
  if (!Array.isArray(permissions)) throw new TypeError(`The mirror has no permissions of role ${record.key}`)
  return {
    roleId: Number(roleId),
    name: String(name),
    isActive: state === 'Active',
    codes: [...new Set(permissions.map(codeOf))].sort(),
    facts: factsOf(record, ['roleId', 'name', 'state']),
  }
}

function codeOf(permission: unknown): string {
  if (typeof permission === 'object' && permission !== null && 'code' in permission) return String(permission.code)
  throw new TypeError('A mirrored role has a permission without a code')
}
