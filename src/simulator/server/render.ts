import type { TimestampStyle } from '../readings.ts'
import { formatTimestamp } from '../timestamps.ts'
import type { ClientTruth, DocumentTruth, RoleTruth, SettingsTruth, UserTruth } from '../truth.ts'

export interface RenderStyle {
  readonly timestamps: TimestampStyle
  readonly upperGuids: boolean
  readonly unknownFields: boolean
}

function guid(text: string, style: RenderStyle): string {
  return style.upperGuids ? text.toUpperCase() : text
}

/** A user in API field names ("User"); `roleId` is null unless `withRole`. */
export function renderUser(user: UserTruth, roleName: string, withRole: boolean, style: RenderStyle) {
  return {
    userId: user.userId,
    firstName: user.firstName,
    lastName: user.lastName,
    email: user.email,
    state: user.state,
    mfaStatus: user.mfaStatus,
    mfaAction: user.mfaAction,
    roleId: withRole ? user.roleId : null,
    roleName,
    createdAt: formatTimestamp(user.createdAt, style.timestamps),
    ...(style.unknownFields && { locale: 'en-GB', avatar: null }),
    ...user.raw,
  }
}

export function renderDocument(document: DocumentTruth, style: RenderStyle) {
  return {
    fileId: guid(document.fileId, style),
    filename: document.filename,
    uploadStatus: document.uploadStatus,
    createdAt: formatTimestamp(document.createdAt, style.timestamps),
    updatedAt: document.updatedAt === null ? null : formatTimestamp(document.updatedAt, style.timestamps),
    ...(style.unknownFields && { etag: `W/"${document.fileId.slice(0, 8)}"` }),
    ...document.raw,
  }
}

export function renderClient(client: ClientTruth, style: RenderStyle) {
  return {
    clientId: guid(client.clientId, style),
    name: client.name,
    roleName: client.roleName,
    secretExpirationDate: formatTimestamp(client.secretExpirationDate, style.timestamps),
    createdAt: formatTimestamp(client.createdAt, style.timestamps),
    ...(style.unknownFields && { lastUsedAt: null }),
    ...client.raw,
  }
}

export function renderRole({ raw, ...role }: RoleTruth, style: RenderStyle) {
  return { ...role, ...(style.unknownFields && { color: '#8899aa' }), ...raw }
}

export function renderSettings({ raw, ...settings }: SettingsTruth, style: RenderStyle) {
  return { ...settings, ...(style.unknownFields && { passwordPolicy: 'strong' }), ...raw }
}

export type ApiUser = ReturnType<typeof renderUser>
export type ApiDocument = ReturnType<typeof renderDocument>
export type ApiClient = ReturnType<typeof renderClient>
export type ApiRole = ReturnType<typeof renderRole>
export type ApiSettings = ReturnType<typeof renderSettings>
