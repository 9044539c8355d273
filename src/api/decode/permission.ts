import type { Reading } from '../reader.ts'
import type { Permission } from '../records.ts'
import { describedText } from './descriptive-fields.ts'
import { type Draft, extraFields, finish, newParseContext, notAnObject } from './draft.ts'
import { integerId, isIntegerId } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { strictText } from './strict-fields.ts'

export const permissionFields: ReadonlySet<string> = new Set(['permissionId', 'name', 'module', 'function', 'code'])

export const permissionTexts = { name: true, module: true, function: true, code: true } as const

/** Reads one entry of the permission catalogue (docs/api.md#permission). */
export function readPermission(raw: unknown): Reading<Permission> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newParseContext()
  const record = draftPermission(draft, raw, '')
  const id = isIntegerId(raw['permissionId']) ? raw['permissionId'] : null
  return finish(draft, record, extraFields(draft, raw, permissionFields), id, raw, permissionTexts)
}

/** Reads the fields of a permission into the draft of the record that carries it; `path` goes before field names. */
export function draftPermission(draft: Draft, raw: Readonly<Record<string, unknown>>, path: string): Permission {
  return {
    permissionId: integerId(draft, `${path}permissionId`, raw['permissionId']),
    name: describedText(draft, `${path}name`, raw['name']),
    module: describedText(draft, `${path}module`, raw['module']),
    function: describedText(draft, `${path}function`, raw['function']),
    code: strictText(draft, `${path}code`, raw['code']),
  }
}
