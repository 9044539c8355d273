import type { ResourceName } from '../../model/resource-names.ts'
import { apiClientsTable } from '../schema/api-clients.ts'
import { authenticationSettingsTable } from '../schema/authentication-settings.ts'
import { documentsTable } from '../schema/documents.ts'
import { permissionsTable } from '../schema/permissions.ts'
import { rolesTable } from '../schema/roles.ts'
import { usersTable } from '../schema/users.ts'
import type { RecordTable } from './record-table.ts'

export const recordTables: Readonly<Record<ResourceName, RecordTable>> = {
  'api-clients': apiClientsTable,
  'authentication-settings': authenticationSettingsTable,
  documents: documentsTable,
  permissions: permissionsTable,
  roles: rolesTable,
  users: usersTable,
}
