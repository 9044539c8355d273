import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RecordTable } from '../records/record-table.ts'
import { recordColumns } from './record-columns.ts'

export const users = sqliteTable(
  'users',
  {
    ...recordColumns(),
    userId: integer('user_id').notNull(),
    firstName: text('first_name'),
    lastName: text('last_name'),
    email: text('email'),
    state: text('state').notNull(),
    mfaStatus: integer('mfa_status').notNull(),
    mfaAction: integer('mfa_action').notNull(),
    roleId: integer('role_id'),
    roleName: text('role_name'),
    createdAt: text('created_at').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** When `roleId` was last read by get-user; null = never. */
    detailReadAt: integer('detail_read_at'),
  },
  (table) => [
    uniqueIndex('users_key').on(table.tenantId, table.userId),
    index('users_posture')
      .on(table.tenantId, table.state, table.mfaStatus, table.mfaAction, table.createdAtMs)
      .where(sql`removed_at is null`),
    index('users_role').on(table.tenantId, table.roleName, table.roleId).where(sql`removed_at is null`),
    index('users_unread')
      .on(table.tenantId, table.askedTurn, sql`read_at desc`)
      .where(sql`role_id is null and removed_at is null`),
    index('users_asked').on(table.tenantId, table.askedTurn, table.userId).where(sql`removed_at is null`),
    index('users_missing').on(table.tenantId, table.askedTurn).where(sql`missing_since is not null`),
  ],
)

export const usersTable: RecordTable = {
  resource: 'users',
  table: users,
  key: 'userId',
  keyOf: Number,
  idField: 'userId',
  fields: {
    userId: 'integer',
    firstName: 'text',
    lastName: 'text',
    email: 'text',
    state: 'text',
    mfaStatus: 'boolean',
    mfaAction: 'boolean',
    roleId: 'integer',
    roleName: 'text',
    createdAt: 'date',
  },
  own: ['detailReadAt', 'askedTurn'],
  ownTimes: { roleIdReadAtMs: 'detailReadAt' },
  counted: [
    ['state', 'mfaStatus', 'mfaAction'],
    ['state', 'roleId', 'roleName'],
  ],
  personal: ['firstName', 'lastName', 'email'],
  unstated: ['roleId'],
  detail: {
    states: 'roleId',
    hangsOn: 'roleName',
    ifEqual: ['roleName', 'email', 'createdAt'],
    readAt: 'detailReadAt',
  },
  person: { email: 'email', createdAt: 'createdAt' },
  unread: ['firstName', 'lastName'],
  settle(next, known) {
    const renamed = next['roleName'] !== known['roleName']
    return renamed && next['roleId'] === null ? { roleId: null, askedTurn: null } : {}
  },
  isHistory: (field, known) => field !== 'roleId' || known['detailReadAt'] !== null,
}
