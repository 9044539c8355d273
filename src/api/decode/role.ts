import type { Reading } from '../reader.ts'
import type { Permission, Role } from '../records.ts'
import { describedBoolean, describedText } from './descriptive-fields.ts'
import { type Draft, extraFields, fail, finish, newParseContext, notAnObject } from './draft.ts'
import { integerId, isIntegerId, wrong } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { draftPermission, permissionFields, permissionTexts } from './permission.ts'
import { strictText, strictWord } from './strict-fields.ts'

const states = ['Active', 'Inactive']
const known = new Set(['roleId', 'name', 'description', 'state', 'type', 'isReadOnly', 'permissions'])
const texts = { name: true, description: true, state: true, type: true, permissions: permissionTexts } as const

/** Reads one role with its permissions (docs/api.md#role); one bad permission spoils the role. */
export function readRole(raw: unknown): Reading<Role> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newParseContext()
  const granted = readGranted(draft, raw['permissions'])
  const record: Role = {
    roleId: integerId(draft, 'roleId', raw['roleId']),
    name: strictText(draft, 'name', raw['name']),
    description: describedText(draft, 'description', raw['description']),
    state: strictWord(draft, 'state', raw['state'], states),
    type: describedText(draft, 'type', raw['type']),
    isReadOnly: describedBoolean(draft, 'isReadOnly', raw['isReadOnly']),
    permissions: granted.permissions,
  }
  let extra = extraFields(draft, raw, known)
  if (granted.extra.length > 0) {
    extra ??= Object.create(null) as Record<string, unknown>
    extra['permissions'] = granted.extra
  }
  return finish(draft, record, extra, isIntegerId(raw['roleId']) ? raw['roleId'] : null, raw, texts)
}

interface Granted {
  readonly permissions: readonly Permission[]
  /** The unknown fields of permissions, each with the identifier of its permission. */
  readonly extra: readonly object[]
}

function readGranted(draft: Draft, raw: unknown): Granted {
  const permissions: Permission[] = []
  const extra: (object & { readonly permissionId: number })[] = []
  if (!Array.isArray(raw)) {
    fail(draft, wrong('permissions', raw, 'an array'))
    return { permissions, extra }
  }
  for (const item of raw as readonly unknown[]) {
    if (!isObject(item)) {
      fail(draft, wrong('permissions[]', item, 'an object'))
      continue
    }
    const permission = draftPermission(draft, item, 'permissions[].')
    permissions.push(permission)
    const unknown = extraFields(draft, item, permissionFields, 'permissions[].')
    if (unknown !== null) extra.push({ permissionId: permission.permissionId, ...unknown })
  }
  // The specification promises no order, and another order is no change of the role.
  const byId = (a: { readonly permissionId: number }, b: { readonly permissionId: number }) =>
    a.permissionId - b.permissionId
  return { permissions: permissions.sort(byId), extra: extra.sort(byId) }
}
