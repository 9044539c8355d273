import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { guidKey, type RecordTable } from '../records/record-table.ts'
import { recordColumns } from './record-columns.ts'

export const apiClients = sqliteTable(
  'api_clients',
  {
    ...recordColumns(),
    clientKey: text('client_key').notNull(),
    clientId: text('client_id').notNull(),
    name: text('name'),
    roleName: text('role_name'),
    secretExpirationDate: text('secret_expiration_date').notNull(),
    secretExpirationDateMs: integer('secret_expiration_date_ms').notNull(),
    createdAt: text('created_at'),
    createdAtMs: integer('created_at_ms'),
  },
  (table) => [
    uniqueIndex('api_clients_key').on(table.tenantId, table.clientKey),
    index('api_clients_expiry').on(table.tenantId, table.secretExpirationDateMs).where(sql`removed_at is null`),
    index('api_clients_role').on(table.tenantId, table.roleName).where(sql`removed_at is null`),
  ],
)

export const apiClientsTable: RecordTable = {
  resource: 'api-clients',
  table: apiClients,
  key: 'clientKey',
  keyOf: guidKey,
  idField: 'clientId',
  fields: { clientId: 'text', name: 'text', roleName: 'text', secretExpirationDate: 'date', createdAt: 'date' },
  own: [],
  counted: [[]],
  unread: ['name'],
  personal: [],
}
