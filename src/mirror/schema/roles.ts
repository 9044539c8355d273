import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RecordTable } from '../records/record-table.ts'
import { recordColumns } from './record-columns.ts'

export const roles = sqliteTable(
  'roles',
  {
    ...recordColumns(),
    roleId: integer('role_id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    state: text('state').notNull(),
    type: text('type'),
    isReadOnly: integer('is_read_only'),
    /** JSON array of Permission, ordered by `permissionId`. */
    permissions: text('permissions').notNull(),
  },
  (table) => [uniqueIndex('roles_key').on(table.tenantId, table.roleId)],
)

export const rolesTable: RecordTable = {
  resource: 'roles',
  table: roles,
  key: 'roleId',
  keyOf: Number,
  idField: 'roleId',
  fields: {
    roleId: 'integer',
    name: 'text',
    description: 'text',
    state: 'text',
    type: 'text',
    isReadOnly: 'boolean',
    permissions: 'json',
  },
  own: [],
  lists: {
    permissions: {
      view: 'role_permissions',
      fields: { permissionId: 'integer', name: 'text', module: 'text', function: 'text', code: 'text' },
    },
  },
  counted: [['state']],
  unread: ['description', 'type', 'isReadOnly'],
  personal: [],
}
