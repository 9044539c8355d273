import type { Readings } from './readings.ts'
import type { ClientTruth, DocumentTruth, RoleTruth, UserTruth } from './world.ts'

type Style = Pick<Readings, 'dates' | 'unknownFields' | 'upperGuids'>
type Body = Record<string, unknown>

/** An instant as the modelled service writes it. */
function dateText(ms: number, { dates }: Pick<Style, 'dates'>): string {
  const text = new Date(ms).toISOString()
  if (dates === 'millis') return text
  return dates === 'seven' ? text.replace('Z', '0000Z') : text.slice(0, -1)
}

const guid = (id: string, { upperGuids }: Style) => (upperGuids ? id.toUpperCase() : id)
const extras = ({ unknownFields }: Style): Body => (unknownFields ? { tags: ['a', 'b'] } : {})

export function renderUser(user: UserTruth, style: Style, withRoleId: boolean): Body {
  return {
    ...user,
    roleId: withRoleId ? user.roleId : null,
    createdAt: dateText(user.createdAt, style),
    ...extras(style),
  }
}

export function renderDocument({ statusSince: _, ...document }: DocumentTruth, style: Style): Body {
  const { createdAt, updatedAt, fileId } = document
  return {
    ...document,
    fileId: guid(fileId, style),
    createdAt: dateText(createdAt, style),
    updatedAt: updatedAt === null ? null : dateText(updatedAt, style),
    ...extras(style),
  }
}

export function renderClient(client: ClientTruth, style: Style): Body {
  return {
    ...client,
    clientId: guid(client.clientId, style),
    secretExpirationDate: dateText(client.secretExpirationDate, style),
    createdAt: dateText(client.createdAt, style),
    ...extras(style),
  }
}

export function renderRole(role: RoleTruth, style: Style): Body {
  return { ...role, description: `${role.name} role`, type: 'User', isReadOnly: false, ...extras(style) }
}
