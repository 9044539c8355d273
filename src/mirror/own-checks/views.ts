import { getTableColumns, getTableName } from 'drizzle-orm'
import type { ResourceName } from '../../model/resource-names.ts'
import type { FieldKind, RecordTable } from '../records/record-table.ts'
import { recordTables } from '../records/record-tables.ts'

export interface ViewColumn {
  readonly name: string
  /** What the column holds, for people. */
  readonly kind: string
}

/** A view as own checks see it: the live records of one tenant. */
export interface OwnView {
  readonly name: string
  /** The input that a query over it must declare. */
  readonly resource: ResourceName
  readonly columns: readonly ViewColumn[]
  /** The select over the mirror's tables that it stands for; `tenantId` is a number of ours. */
  body(tenantId: number): string
}

const kinds: Readonly<Record<FieldKind, string>> = {
  boolean: '1 or 0',
  date: 'text, as sent',
  integer: 'integer',
  json: 'JSON text',
  text: 'text',
}

const time = 'milliseconds'

/** The mirror's own columns that a query may want, by resource: name in the view and in the table. */
const ownColumns: Readonly<Partial<Record<ResourceName, Readonly<Record<string, string>>>>> = {
  documents: { statusSinceMs: 'statusSince' },
  users: { roleIdReadAtMs: 'detailReadAt' },
}

const permissionFields = { permissionId: 'integer', name: 'text', module: 'text', function: 'text', code: 'text' }

/** Every view there is for own checks, in alphabetical order. */
export const ownViews: readonly OwnView[] = [
  viewOf('api_clients', recordTables['api-clients']),
  viewOf('authentication_settings', recordTables['authentication-settings']),
  viewOf('documents', recordTables.documents),
  viewOf('permissions', recordTables.permissions),
  {
    name: 'role_permissions',
    resource: 'roles',
    columns: [
      { name: 'roleId', kind: 'integer' },
      ...Object.entries(permissionFields).map(([name, kind]) => ({ name, kind })),
    ],
    body: (tenantId) => `
      select r.role_id as "roleId", ${Object.keys(permissionFields)
        .map((name) => `json_extract(p.value, '$.${name}') as "${name}"`)
        .join(', ')}
      from main.roles r, json_each(r.permissions) p where r.tenant_id = ${tenantId} and r.removed_at is null`,
  },
  viewOf('roles', recordTables.roles),
  viewOf('users', recordTables.users),
]

function viewOf(name: string, { resource, table, fields }: RecordTable): OwnView {
  const columns = getTableColumns(table)
  const stored = (property: string) => columns[property]?.name ?? property
  const shown = [
    ...Object.entries(fields).flatMap(([field, kind]) => {
      const own = { name: field, kind: kinds[kind], stored: stored(field) }
      return kind === 'date' ? [own, { name: `${field}Ms`, kind: time, stored: stored(`${field}Ms`) }] : [own]
    }),
    ...Object.entries(ownColumns[resource] ?? {}).map(([view, own]) => ({
      name: view,
      kind: time,
      stored: stored(own),
    })),
    { name: 'firstSeenAtMs', kind: time, stored: stored('firstSeenAt') },
  ]
  const list = shown.map((column) => `"${column.stored}" as "${column.name}"`).join(', ')
  return {
    name,
    resource,
    columns: shown.map((column) => ({ name: column.name, kind: column.kind })),
    body: (tenantId) =>
      `select ${list} from main."${getTableName(table)}" where tenant_id = ${tenantId} and removed_at is null`,
  }
}

/** Statements that make the mirror's tables of records, empty: enough to see whether a query is well formed. */
export function emptyTables(): readonly string[] {
  return Object.values(recordTables).map(({ table }) => {
    const columns = Object.values(getTableColumns(table)).map(({ name }) => `"${name}"`)
    return `create table "${getTableName(table)}" (${columns.join(', ')})`
  })
}
