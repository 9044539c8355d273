import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RecordTable } from '../records/record-table.ts'
import { recordColumns } from './record-columns.ts'

export const authenticationSettings = sqliteTable(
  'authentication_settings',
  {
    ...recordColumns(),
    /** There is one object a tenant; its key is always 0. */
    singleton: integer('singleton').notNull(),
    ssoEnabled: integer('sso_enabled').notNull(),
    ssoEnforced: integer('sso_enforced').notNull(),
    providerType: text('provider_type'),
    tenantName: text('tenant_name'),
    mfaEnabled: integer('mfa_enabled').notNull(),
  },
  (table) => [uniqueIndex('authentication_settings_key').on(table.tenantId, table.singleton)],
)

export const authenticationSettingsTable: RecordTable = {
  resource: 'authentication-settings',
  table: authenticationSettings,
  key: 'singleton',
  keyOf: () => 0,
  idField: null,
  fields: {
    ssoEnabled: 'boolean',
    ssoEnforced: 'boolean',
    providerType: 'text',
    tenantName: 'text',
    mfaEnabled: 'boolean',
  },
  own: [],
  counted: [[]],
  personal: [],
}
