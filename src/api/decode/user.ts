import type { Reading } from '../reader.ts'
import type { User } from '../records.ts'
import { describedText } from './descriptive-fields.ts'
import { extraFields, finish, newParseContext, notAnObject, odd } from './draft.ts'
import { integerId, integerIdOrNull, isIntegerId } from './identifiers.ts'
import { isObject } from './is-object.ts'
import { strictBoolean, strictDate, strictTextIfAny, strictTextOrNull, strictWord } from './strict-fields.ts'

const states = ['Active', 'Invited']
const known = new Set([
  'userId',
  'firstName',
  'lastName',
  'email',
  'state',
  'mfaStatus',
  'mfaAction',
  'roleId',
  'roleName',
  'createdAt',
])

const texts = { firstName: true, lastName: true, email: true, state: true, roleName: true } as const

/**
 * Reads one user (docs/api.md#user); the other states are not shown there, so they are kept and counted.
 * E-mail and creation tell who it is, which waivers and the proof of the tenant hang on.
 *
 * @param latest the last plausible instant of the creation, in milliseconds since the epoch.
 */
export function readUser(raw: unknown, latest?: number): Reading<User> {
  if (!isObject(raw)) return notAnObject(raw)
  const draft = newParseContext()
  const record: User = {
    userId: integerId(draft, 'userId', raw['userId']),
    firstName: describedText(draft, 'firstName', raw['firstName']),
    lastName: describedText(draft, 'lastName', raw['lastName']),
    email: strictTextIfAny(draft, 'email', raw['email']),
    state: strictWord(draft, 'state', raw['state'], states),
    mfaStatus: strictBoolean(draft, 'mfaStatus', raw['mfaStatus']),
    mfaAction: strictBoolean(draft, 'mfaAction', raw['mfaAction']),
    roleId: integerIdOrNull(draft, 'roleId', raw['roleId']),
    roleName: strictTextOrNull(draft, 'roleName', raw['roleName']),
    createdAt: strictDate(draft, 'createdAt', raw['createdAt'], latest),
  }
  if (raw['roleId'] === undefined) odd(draft, 'unknown_value', 'roleId')
  const id = isIntegerId(raw['userId']) ? raw['userId'] : null
  return finish(draft, record, extraFields(draft, raw, known), id, raw, texts)
}
