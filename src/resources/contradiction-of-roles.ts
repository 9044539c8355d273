import type { MirrorRecord, RecordReader } from '../mirror/records/query.ts'
import type { Beside, Contradiction, Item } from '../sync/resource.ts'

/** The permission by which roles are read (docs/api.md#permission). */
const readsRoles = 'Api_Roles_Read'

/**
 * Roles that contradict the mirror: none although some are in use, none that grants anything although some did, or the
 * role of the daemon's own client without the permission by which it was just read.
 */
export async function contradictionOfRoles({ records, items, ownClientId }: Beside): Promise<Contradiction | null> {
  if (items.length === 0) return emptyList(records)
  const before: MirrorRecord[] = []
  for await (const batch of records.select('roles')) before.push(...batch)
  return noGrants(before, items) ?? ownRole(before, items, await ownRoleName(records, ownClientId))
}

async function emptyList(records: RecordReader): Promise<Contradiction | null> {
  const named = { all: [{ field: 'roleName', not: null }] } as const
  for (const [resource, word] of [['users', 'users'] as const, ['api-clients', 'API clients'] as const]) {
    const count = await records.count(resource, named)
    if (count > 0) {
      return { emptiness: 'list', message: `The list of roles is empty although ${count} ${word} carry a role name` }
    }
  }
  return null
}

function noGrants(before: readonly MirrorRecord[], items: readonly Item[]): Contradiction | null {
  const readable = items.flatMap((item) => (item.ok ? [item.record] : []))
  if (readable.length === 0 || readable.some((role) => codesOf(role).length > 0)) return null
  const count = before.filter(({ fields }) => codesOf(fields).length > 0).length
  if (count === 0) return null
  return { emptiness: 'no-grants', message: `No role grants a permission any more, ${count} did before`, count }
}

function ownRole(before: readonly MirrorRecord[], items: readonly Item[], name: string | null): Contradiction | null {
  const lost = before.filter(({ fields }) => {
    if (name === null || fields['name'] !== name || !codesOf(fields).includes(readsRoles)) return false
    const now = items.find((item) => item.ok && 'roleId' in item.record && item.record.roleId === fields['roleId'])
    return now?.ok === true && !codesOf(now.record).includes(readsRoles)
  })
  // Several roles may have the name, and one that still grants it may be the client's.
  const granted = items.some(
    (item) =>
      item.ok && 'name' in item.record && item.record.name === name && codesOf(item.record).includes(readsRoles),
  )
  if (lost.length === 0 || granted) return null
  const message = `The role of ownClientId lacks ${readsRoles}, by which the list of roles was read`
  return { emptiness: 'own-role', message, count: lost.length }
}

async function ownRoleName(records: RecordReader, ownClientId: string | null): Promise<string | null> {
  if (ownClientId === null) return null
  for await (const batch of records.select('api-clients', {
    all: [{ field: 'clientKey', is: ownClientId.toLowerCase() }],
  })) {
    const name = batch[0]?.fields['roleName']
    return typeof name === 'string' ? name : null
  }
  return null
}

function codesOf(role: object): readonly unknown[] {
  const permissions: unknown = 'permissions' in role ? role.permissions : []
  if (!Array.isArray(permissions)) return []
  return permissions.flatMap((permission: unknown) =>
    typeof permission === 'object' && permission !== null && 'code' in permission ? [permission.code] : [],
  )
}
