import type { MirrorRecord, RecordReader, WhereOn } from '../../mirror/records/query.ts'
import { amongFew, firstKeys, textOf } from './records.ts'
import type { Roles } from './roles.ts'
import { quoted } from './words.ts'

/** An API client as a sentence names it. */
export function clientTitle(client: MirrorRecord): string {
  const name = textOf(client, 'name')
  return name === null ? `API client ${client.key}` : `API client ${quoted(name)} (${client.key})`
}

/** All API clients, and those of them that may fail. */
export async function loadClients(reader: RecordReader, mayFail: WhereOn<'api-clients'>) {
  return { population: await reader.count('api-clients'), candidates: reader.select('api-clients', mayFail) }
}

/** The role names that clients carry, parted by whether a role has that name; clients without one apart. */
export async function clientRoleNames(reader: RecordReader, roles: Roles) {
  const groups = (await reader.countBy('api-clients', ['roleName'])).map(({ values: [name], count }) => ({
    name,
    count,
  }))
  const known = groups.filter(({ name }) => typeof name === 'string' && roles.byName.has(name))
  const missing = groups.filter(({ name }) => typeof name === 'string' && !roles.byName.has(name))
  const unnamed = groups.filter(({ name }) => typeof name !== 'string')
  return { known: parted(known), missing: parted(missing), unnamed: parted(unnamed) }
}

/** Clients that cannot be evaluated by the role name that they carry: which some of them are, and whether one is. */
export async function unevaluatedClients(reader: RecordReader, names: readonly (string | null)[]) {
  if (names.length === 0) return { unevaluated: [], isUnevaluated: async () => false }
  const where: WhereOn<'api-clients'> = { anyOf: names.map((is) => [{ field: 'roleName', is }]) }
  return {
    unevaluated: await firstKeys(reader, 'api-clients', where),
    isUnevaluated: amongFew(reader, 'api-clients', where),
  }
}

function parted(groups: readonly { readonly name: unknown; readonly count: number }[]) {
  return {
    names: groups.map(({ name }) => (typeof name === 'string' ? name : null)),
    clients: groups.reduce((sum, { count }) => sum + count, 0),
  }
}
