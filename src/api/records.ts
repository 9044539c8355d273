import type { RecordOf } from '../model/fields.ts'
import type { apiClients } from '../resources/api-clients.ts'
import type { authenticationSettings } from '../resources/authentication-settings.ts'
import type { documents } from '../resources/documents.ts'
import type { permissions } from '../resources/permissions.ts'
import type { roles } from '../resources/roles.ts'
import type { users } from '../resources/users.ts'

export type User = RecordOf<typeof users.fields>
export type Permission = RecordOf<typeof permissions.fields>
export type Role = RecordOf<typeof roles.fields>
export type AuthenticationSettings = RecordOf<typeof authenticationSettings.fields>
export type ApiClient = RecordOf<typeof apiClients.fields>
export type Document = RecordOf<typeof documents.fields>

export interface NewUser {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly roleId: number
}
