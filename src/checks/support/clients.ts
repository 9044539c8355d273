import type { ConditionOn, MirrorRecord, RecordReader, WhereOn } from '../../store/records/query.ts'
import { amongFew, firstKeys, textOf } from './records.ts'
import type { Roles } from './roles.ts'
import { quoted } from './words.ts'

export function clientTitle(client: MirrorRecord): string {
  const name = textOf(client, 'name')
  return name === null ? `API client ${client.key}` : `API client ${quoted(name)} (${client.key})`
}

export async function loadClients(reader: RecordReader, mayFail: WhereOn<'api-clients'>) {
  return { population: await reader.count('api-clients'), candidates: reader.select('api-clients', mayFail) }
}

/** The role names of clients, grouped by whether a role has that name (`known`), none has (`missing`), or the client has no role name (`unnamed`). */
export async function clientRoleNames(reader: RecordReader, roles: Roles) {
  const groups = (await reader.countBy('api-clients', ['roleName'])).map(({ values: [name], count }) => ({
    name,
    count,
  }))
  const known = groups.filter(({ name }) => typeof name === 'string' && roles.byName.has(name))
  const missing = groups.filter(({ name }) => typeof name === 'string' && !roles.byName.has(name))
  const unnamed = groups.filter(({ name }) => typeof name !== 'string')
  return { known: grouped(known), missing: grouped(missing), unnamed: grouped(unnamed) }
}

/** Clients that cannot be evaluated (no role name, or `others`): some of their keys, and a test for a key. */
export async function unevaluatedClients(
  reader: RecordReader,
  count: number,
  others: readonly ConditionOn<'api-clients'>[],
) {
  if (count === 0) return { unevaluated: [], isUnevaluated: async () => false }
  const where: WhereOn<'api-clients'> = { anyOf: [[{ field: 'roleName', is: null }], others] }
  return {
    unevaluated: await firstKeys(reader, 'api-clients', where),
    isUnevaluated: amongFew(reader, 'api-clients', where),
  }
}

function grouped(groups: readonly { readonly name: unknown; readonly count: number }[]) {
  return {
    names: groups.map(({ name }) => (typeof name === 'string' ? name : null)),
    clients: groups.reduce((sum, { count }) => sum + count, 0),
  }
}
