import type { MirrorRecord } from '../../store/records/query.ts'
import { textOf } from './records.ts'
import type { MirroredRole, Roles } from './roles.ts'
import { quoted } from './words.ts'

export function clientTitle(client: MirrorRecord): string {
  const name = textOf(client, 'name')
  return name === null ? `API client ${client.key}` : `API client ${quoted(name)} (${client.key})`
}

/** The roles with the client's role name; null without a name. */
export function rolesOfClient(client: MirrorRecord, { byName }: Roles): readonly MirroredRole[] | null {
  const name = textOf(client, 'roleName')
  return name === null ? null : (byName.get(name) ?? noRoles)
}

const noRoles: readonly MirroredRole[] = []
