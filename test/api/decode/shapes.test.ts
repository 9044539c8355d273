import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordDecoder } from '../../../src/api/decode/record.ts'
import type { Reading } from '../../../src/api/reader.ts'
import { apiClients } from '../../../src/resources/api-clients.ts'
import { authenticationSettings } from '../../../src/resources/authentication-settings.ts'
import { documents } from '../../../src/resources/documents.ts'
import { permissions } from '../../../src/resources/permissions.ts'
import { roles } from '../../../src/resources/roles.ts'
import { users } from '../../../src/resources/users.ts'
import { apiClient, document, permission, role, settings, user } from '../support/answers.ts'

const readApiClient = recordDecoder(apiClients.fields)
const readAuthenticationSettings = recordDecoder(authenticationSettings.fields)
const readDocument = recordDecoder(documents.fields)
const readPermission = recordDecoder(permissions.fields)
const readRole = recordDecoder(roles.fields)
const readUser = recordDecoder(users.fields)

type Decoder = (raw: unknown, latest?: number) => Reading<object>

const shapes: readonly (readonly [string, Decoder, Record<string, unknown>])[] = [
  ['api-client', readApiClient, apiClient],
  ['authentication-settings', readAuthenticationSettings, settings],
  ['document', readDocument, document],
  ['permission', readPermission, permission],
  ['role', readRole, role],
  ['user', readUser, user],
]

it.each(shapes)('never throws for a %s and never lets a value into the problem', (_, read, sample) => {
  const keys = fc.constantFrom(...Object.keys(sample), '__proto__', 'constructor', 'toString', 'hasOwnProperty')
  const hostile = fc.dictionary(keys, fc.jsonValue(), { noNullPrototype: false })
  const merged = hostile.map((fields) => JSON.parse(JSON.stringify({ ...sample, ...fields })) as unknown)
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), merged), (raw) => {
      const reading = read(raw)
      if (reading.ok) {
        expect(Object.keys(reading.record).sort()).toEqual(Object.keys(sample).sort())
      } else {
        expect(reading.problem).toMatch(/^[\w .[\],'-]+$/)
        expect(Array.isArray(reading.raw)).toBe(Array.isArray(raw))
      }
      expect({}).not.toHaveProperty('polluted')
    }),
    { numRuns: 300 },
  )
})

it.each(shapes)(
  'reads a %s in the order of the specification, however its fields come and whatever is beside them',
  (_, read, sample) => {
    const names = Object.keys(sample)
    const order = fc.shuffledSubarray([...names, 'nickname'], { minLength: names.length + 1 })
    const whole = { ...sample, nickname: 'Bo' }
    fc.assert(
      fc.property(order, (keys) => {
        const reading = read(Object.fromEntries(keys.map((key) => [key, Reflect.get(whole, key)])))
        if (!reading.ok) throw new Error(reading.problem)
        expect(JSON.stringify(reading.record)).toBe(JSON.stringify(sample))
        expect(reading.extra).toEqual({ nickname: 'Bo' })
      }),
    )
  },
)

type Case = readonly [
  shape: (raw: unknown) => Reading<object>,
  sample: object,
  field: string,
  bad: unknown,
  problem: string,
]

const strict: readonly Case[] = [
  [readUser, user, 'userId', 2 ** 53, 'userId is not a safe integer'],
  [readUser, user, 'userId', '7', 'userId is a string, not an integer'],
  [readUser, user, 'userId', null, 'userId is null, not an integer'],
  [readUser, user, 'userId', undefined, 'userId is missing'],
  [readUser, user, 'state', undefined, 'state is missing'],
  [readUser, user, 'state', 'x'.repeat(1025), 'state is longer than 1024 characters'],
  [readUser, user, 'mfaStatus', 'false', 'mfaStatus is a string, not a boolean'],
  [readUser, user, 'mfaAction', 0, 'mfaAction is a number, not a boolean'],
  [readUser, user, 'roleId', '2', 'roleId is a string, not an integer'],
  [readUser, user, 'roleName', ['Admin'], 'roleName is an array, not a string'],
  [readUser, user, 'createdAt', '2026-02-30T00:00:00Z', 'createdAt is not an ISO 8601 date that exists'],
  [readUser, user, 'createdAt', 1767225600, 'createdAt is a number, not a date'],
  [readRole, role, 'permissions', null, 'permissions is null, not an array'],
  [readRole, role, 'permissions', [7], 'permissions[] is a number, not an object'],
  [readRole, role, 'permissions', [{ ...permission, code: 5 }], 'permissions[].code is a number, not a string'],
  [readRole, role, 'permissions', [{ ...permission, code: ' ' }], 'permissions[].code is empty'],
  [readPermission, permission, 'code', '', 'code is empty'],
  [readPermission, permission, 'code', undefined, 'code is missing'],
  [readApiClient, apiClient, 'clientId', '', 'clientId is not 1 to 200 characters without control characters'],
  [readApiClient, apiClient, 'clientId', 'a\nb', 'clientId is not 1 to 200 characters without control characters'],
  [readApiClient, apiClient, 'secretExpirationDate', 7, 'secretExpirationDate is a number, not a date'],
  [readApiClient, apiClient, 'secretExpirationDate', '1', 'secretExpirationDate is not an ISO 8601 date that exists'],
  [readDocument, document, 'uploadStatus', 1, 'uploadStatus is a number, not a string'],
  [readDocument, document, 'updatedAt', 'yesterday', 'updatedAt is not an ISO 8601 date that exists'],
  [readDocument, document, 'filename', {}, 'filename is an object, not a string'],
  [readApiClient, apiClient, 'createdAt', 'soon', 'createdAt is not an ISO 8601 date that exists'],
  [readAuthenticationSettings, settings, 'providerType', 1, 'providerType is a number, not a string'],
  [readAuthenticationSettings, { ...settings, ssoEnabled: true }, 'tenantName', undefined, 'tenantName is missing'],
  [readAuthenticationSettings, settings, 'mfaEnabled', 'true', 'mfaEnabled is a string, not a boolean'],
  [readAuthenticationSettings, settings, 'ssoEnforced', undefined, 'ssoEnforced is missing'],
]

it.each(strict)('keeps a record raw when an evaluated field is invalid: %#', (read, sample, field, bad, problem) => {
  const raw: Record<string, unknown> = { ...sample, [field]: bad }
  if (bad === undefined) delete raw[field]
  const reading = read(raw)
  expect(reading).toMatchObject({ ok: false, problem })
  expect(reading.ok ? undefined : reading.raw).toMatchObject(bad === undefined || String(bad).length > 256 ? {} : raw)
})

const lenient: readonly Case[] = [
  [readUser, user, 'firstName', 5, ''],
  [readUser, user, 'email', null, ''],
  [readUser, user, 'lastName', undefined, ''],
  [readRole, role, 'isReadOnly', 'yes', ''],
  [readRole, role, 'type', 1, ''],
  [readUser, user, 'email', undefined, ''],
  [readApiClient, apiClient, 'createdAt', null, ''],
  [readApiClient, apiClient, 'name', 1, ''],
]

it.each(lenient)('makes a descriptive field of another type null and counts it: %#', (read, sample, field, bad) => {
  const reading = read({ ...sample, [field]: bad })
  expect(reading).toMatchObject({ ok: true, oddities: [{ kind: 'unknown_value', field }] })
  expect(reading.ok && (reading.record as Record<string, unknown>)[field]).toBeNull()
})

it.each([
  [readRole, { ...role, state: ' active' }, { ...role, state: 'Active' }],
  [readRole, { ...role, state: 'Archived' }, { ...role, state: 'Archived' }],
  [readUser, { ...user, state: 'INVITED ' }, { ...user, state: 'Invited' }],
  [readDocument, { ...document, uploadStatus: 'processing' }, { ...document, uploadStatus: 'Processing' }],
  [readApiClient, { ...apiClient, secretExpirationDate: null }, { ...apiClient, secretExpirationDate: null }],
])('reads known values without letter case and outer space, and keeps others: %#', (read, raw, record) => {
  expect(read(raw)).toMatchObject({ ok: true, record })
})

it.each([
  [readUser, { ...user, createdAt: '2025-01-01T00:00:00' }, 'no_offset', 'createdAt'],
  [readApiClient, { ...apiClient, secretExpirationDate: '2027-01-01' }, 'no_offset', 'secretExpirationDate'],
  [readApiClient, { ...apiClient, clientId: 'client-7' }, 'invalid_id', 'clientId'],
  [readDocument, { ...document, fileId: `${document.fileId}0` }, 'invalid_id', 'fileId'],
])('keeps and counts a date without an offset and an id that is no GUID: %#', (read, raw, kind, field) => {
  expect(read(raw)).toMatchObject({ ok: true, record: raw, oddities: [{ kind, field }] })
})

it.each([
  apiClient.clientId.replaceAll('-', ''),
  `{${apiClient.clientId.toUpperCase().replaceAll('-', '')}}`,
  `(${apiClient.clientId})`,
  `urn:uuid:${apiClient.clientId}`,
  `{${apiClient.clientId}}`,
])('reads a GUID in another notation as its canonical form: %s', (clientId) => {
  const canonical = { ...apiClient, clientId: apiClient.clientId.toLowerCase() }
  expect(readApiClient({ ...apiClient, clientId })).toMatchObject({ ok: true, record: canonical, oddities: [] })
})

const latest = Date.parse('2026-06-01T00:00:00Z')

it.each([
  [readUser, user, 'createdAt'],
  [readApiClient, apiClient, 'createdAt'],
  [readDocument, document, 'createdAt'],
  [readDocument, document, 'updatedAt'],
])('does not believe a %s that lies behind the last plausible instant: %#', (read, sample, field) => {
  expect(read({ ...sample, [field]: '2026-06-01T00:00:00.000Z' }, latest)).toMatchObject({ ok: true })
  for (const late of ['2026-06-01T00:00:00.001Z', '9999-12-31T23:59:59+00:00', '2026-06-01T00:01']) {
    const problem = `${field} is more than 24 hours ahead of the server's time`
    expect(read({ ...sample, [field]: late }, latest)).toMatchObject({ ok: false, problem })
    expect(read({ ...sample, [field]: late })).toMatchObject({ ok: true })
  }
})

it('reads absent provider and tenant names as null where no SSO is configured, and counts them', () => {
  const { providerType: _, tenantName: __, ...rest } = settings
  expect(readAuthenticationSettings({ ...rest, ssoEnabled: false })).toMatchObject({
    record: { providerType: null, tenantName: null },
    oddities: [{ field: 'providerType' }, { field: 'tenantName' }],
  })
})

it('reads absent document fields as null and counts them, and null ones silently', () => {
  const { uploadStatus: _, updatedAt: __, ...rest } = document
  expect(readDocument(rest)).toMatchObject({
    record: { uploadStatus: null, updatedAt: null },
    oddities: [{ field: 'uploadStatus' }, { field: 'updatedAt' }],
  })
  expect(readDocument({ ...document, uploadStatus: null })).toMatchObject({ oddities: [] })
})

it('keeps unknown fields as sent, __proto__ among them, without touching any prototype', () => {
  const raw = JSON.parse(`{"__proto__":{"polluted":true},"constructor":1,${JSON.stringify(user).slice(1)}`) as unknown
  const reading = readUser(raw)
  if (!reading.ok) throw new Error(reading.problem)
  expect(Object.keys(reading.extra ?? {}).sort()).toEqual(['__proto__', 'constructor'])
  expect(reading.oddities.map((odd) => odd.field).sort()).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(reading.record)).toBe(Object.prototype)
  expect('polluted' in reading.record).toBe(false)
})

it('keeps a record of more than a thousand unknown fields raw', () => {
  const unknown = Object.fromEntries(Array.from({ length: 1001 }, (_, field) => [`field${field}`, 1]))
  expect(readUser({ ...unknown, ...user })).toMatchObject({
    ok: false,
    problem: 'More than 1000 unknown fields in one object',
  })
})

it('makes lone surrogates well-formed, so that stored text reads back equal, but not where a check compares it', () => {
  expect(readUser({ ...user, firstName: 'a\ud800' })).toMatchObject({ record: { firstName: 'a\ufffd' } })
  expect(readUser({ ...user, roleName: '\udc00' })).toMatchObject({
    ok: false,
    problem: 'roleName contains half a surrogate pair',
  })
})

it('does not hand on nesting that would overflow a serialiser', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
  const note = '[nested more than 64 levels deep]'
  for (const raw of [{ ...user, deep }, { ...user, state: deep }, deep]) {
    const text = JSON.stringify(readUser(raw))
    expect([text.includes(note), text.length < 1000]).toEqual([true, true])
  }
})
