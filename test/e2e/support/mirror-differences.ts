import type { Tenant } from '../../../src/simulator/index.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { Tenants } from './replicas.ts'

/** View, its column that names a record, and the records that the tenant has. */
const compared: readonly (readonly [view: string, key: string, records: (tenant: Tenant) => Iterable<object>])[] = [
  ['tenantwatch_api_clients', 'clientId', (tenant) => tenant['api-clients'].all()],
  ['tenantwatch_documents', 'fileId', (tenant) => tenant.documents.all()],
  ['tenantwatch_roles', 'roleId', (tenant) => tenant.roles.all()],
  ['tenantwatch_settings', '', (tenant) => tenant['authentication-settings'].all()],
  ['tenantwatch_users', 'userId', (tenant) => tenant.users.all()],
]

/** Records that differ between the mirror and the tenants, each in words: nothing lost, nothing left over, no old value. */
export async function mirrorDifferences(server: PostgresServer, tenants: Tenants): Promise<readonly string[]> {
  const differences: string[] = []
  for (const [view, key, records] of compared) {
    const rows = await server.query<Record<string, unknown> & { tenant: string }>(`select * from ${view}`)
    for (const [tenant, { primary }] of tenants) {
      const nameOf = (record: object) => `${tenant} ${view} ${Reflect.get(record, key) ?? ''}`
      const mirrored = new Map(rows.filter((row) => row.tenant === tenant).map((row) => [nameOf(camelCased(row)), row]))
      for (const record of records(primary)) {
        const row = mirrored.get(nameOf(record))
        mirrored.delete(nameOf(record))
        if (row === undefined) differences.push(`${nameOf(record)} is not mirrored`)
        else differences.push(...fieldDifferences(record, camelCased(row)).map((text) => `${nameOf(record)} ${text}`))
      }
      differences.push(...[...mirrored.keys()].map((name) => `${name} is mirrored, and gone`))
    }
  }
  return differences
}

/** The list does not state `roleId` of users. */
const unstated = ['roleId', 'permissions']

function fieldDifferences(record: object, row: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(record).flatMap(([field, value]) => {
    const stored = row[field]
    const shown = stored instanceof Date ? stored.getTime() : stored
    const stated = stored instanceof Date ? Date.parse(String(value)) : value
    if (unstated.includes(field) || String(shown) === String(stated)) return []
    return [`${field}: ${String(shown)} instead of ${String(stated)}`]
  })
}

function camelCased(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]))
}
