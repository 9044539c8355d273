import type { MirrorRecord, RecordReader } from '../../store/records/query.ts'
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

/** Reads all roles of the tenant; names are compared as sent. */
export async function loadRoles(reader: RecordReader): Promise<Roles> {
  const byId = new Map<number, MirroredRole>()
  const byName = new Map<string, MirroredRole[]>()
  for await (const batch of reader.select('roles')) {
    for (const record of batch) {
      const role = toRole(record)
      byId.set(role.roleId, role)
      const named = byName.get(role.name)
      if (named === undefined) byName.set(role.name, [role])
      else named.push(role)
    }
  }
  return { byId, byName }
}

function toRole(record: MirrorRecord): MirroredRole {
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
