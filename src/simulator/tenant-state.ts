import type { Readings } from './readings.ts'
import {
  type ApiClient,
  type ApiDocument,
  type ApiRole,
  type ApiSettings,
  type ApiUser,
  type RenderStyle,
  renderClient,
  renderDocument,
  renderRole,
  renderSettings,
  renderUser,
} from './server/render.ts'
import { roleNameOf, settleIngestion, type Tenant } from './tenant.ts'
import type { Permission } from './truth.ts'

/** All data of a tenant in API field names; users include `roleId`, unlike the list of the API. */
export interface TenantState {
  users(): IterableIterator<ApiUser>
  user(userId: number): ApiUser | undefined
  userCount(): number
  documents(): IterableIterator<ApiDocument>
  document(fileId: string): ApiDocument | undefined
  documentCount(): number
  apiClients(): IterableIterator<ApiClient>
  apiClient(clientId: string): ApiClient | undefined
  apiClientCount(): number
  roles(): ApiRole[]
  role(roleId: number): ApiRole | undefined
  permissions(): Permission[]
  authenticationSettings(): ApiSettings
  /** The records of a paginated list. */
  list(resource: string): Iterable<object>
  listed(resource: string, id: string): object | undefined
  /** The records of a resource; the settings are one record. */
  records(resource: string): Iterable<unknown>
}

function* mapped<T, R>(records: Iterable<T>, render: (record: T) => R): Generator<R, void, undefined> {
  for (const record of records) yield render(record)
}

/** Reads the current data of a tenant; GUIDs in lower case, timestamps in the style of the readings. */
export function stateOf(
  tenant: Tenant,
  clock: () => number,
  readings: () => Readings,
  recordsOf: (state: TenantState, resource: string) => Iterable<unknown>,
): TenantState {
  const style = (): RenderStyle => {
    const { timestamps, unknownFields } = readings()
    return { timestamps, unknownFields, upperGuids: false }
  }
  const settledDocuments = () => {
    settleIngestion(tenant, clock())
    return tenant.documents
  }
  const find = <T, R>(record: T | undefined, render: (record: T) => R) =>
    record === undefined ? undefined : render(record)

  const user = (record: Parameters<typeof renderUser>[0]) =>
    renderUser(record, roleNameOf(tenant, record), true, style())

  const state: TenantState = {
    users: () => mapped(tenant.users.after(null), user),
    user: (userId) => find(tenant.users.get(userId), user),
    userCount: () => tenant.users.size,
    documents: () => mapped(settledDocuments().after(null), (record) => renderDocument(record, style())),
    document: (id) => find(settledDocuments().get(id.toLowerCase()), (record) => renderDocument(record, style())),
    documentCount: () => tenant.documents.size,
    apiClients: () => mapped(tenant.clients.after(null), (record) => renderClient(record, style())),
    apiClient: (id) => find(tenant.clients.get(id.toLowerCase()), (record) => renderClient(record, style())),
    apiClientCount: () => tenant.clients.size,
    roles: () => [...mapped(tenant.roles.values(), (record) => renderRole(record, style()))],
    role: (roleId) => find(tenant.roles.get(roleId), (record) => renderRole(record, style())),
    permissions: () => tenant.permissions.slice(),
    authenticationSettings: () => renderSettings(tenant.settings, style()),
    list: (resource) => tenant.list(resource).records(style()),
    listed: (resource, id) => tenant.list(resource).find(id, style()),
    records: (resource) => recordsOf(state, resource),
  }
  return state
}
