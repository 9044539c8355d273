import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RecordTable } from '../records/record-table.ts'
import { recordColumns } from './record-columns.ts'

export const permissions = sqliteTable(
  'permissions',
  {
    ...recordColumns(),
    permissionId: integer('permission_id').notNull(),
    name: text('name'),
    module: text('module'),
    function: text('function'),
    code: text('code').notNull(),
  },
  (table) => [uniqueIndex('permissions_key').on(table.tenantId, table.permissionId)],
)

export const permissionsTable: RecordTable = {
  resource: 'permissions',
  table: permissions,
  key: 'permissionId',
  keyOf: Number,
  idField: 'permissionId',
  fields: { permissionId: 'integer', name: 'text', module: 'text', function: 'text', code: 'text' },
  own: [],
  counted: [[]],
  unread: ['name', 'module', 'function'],
  personal: [],
}
