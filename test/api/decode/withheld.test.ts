import { expect, it } from 'vitest'
import { recordDecoder } from '../../../src/api/decode/record.ts'
import { roles } from '../../../src/resources/roles.ts'
import { users } from '../../../src/resources/users.ts'
import { permission, role, user } from '../support/answers.ts'

const readRole = recordDecoder(roles.fields)
const readUser = recordDecoder(users.fields)

function extraOf(fields: object): Readonly<Record<string, unknown>> {
  const reading = readUser({ ...user, ...fields })
  if (!reading.ok) throw new Error(reading.problem)
  return reading.extra ?? {}
}

const names =
  'clientSecret client_secret password apiKey credentials content contentBase64 downloadUrl signature Authorization x.sessionCookie body html markdown base64 bytes file text extractedText transcript bearer pem hash embedding otp recoveryCodes pass pin sessionId resetLink href'

it.each(names.split(' '))('stores of a field named %s no more than type and length', (name) => {
  for (const [value, what] of [
    ['hush', 'string of 4 characters'],
    [{ a: 'hush', b: 1 }, 'object of 2 fields'],
    [['hush'], 'array of 1 elements'],
    [1234, 'number of 4 characters'],
  ])
    expect(extraOf({ [name]: value })).toEqual({ [name]: `[withheld: ${what}]` })
  expect(extraOf({ [name]: null })).toEqual({ [name]: null })
  expect(extraOf({ outer: [{ [name]: 'hush' }] })).toEqual({
    outer: [{ [name]: '[withheld: string of 4 characters]' }],
  })
})

it.each([
  ['passwordPolicy', 'strict'],
  ['tokenType', 'user'],
  ['keyId', 7],
  ['contentType', 'application/pdf'],
  ['locale', 'en-GB'],
  ['managerId', '7f9c24e8-3b12-4fef-91e0-56a2d5a1c001'],
  ['tags', ['a', { deep: [1, true, null] }]],
  ['updatedBy', 'Ada'],
  ['fileName', 'a.pdf'],
  ['fileSize', 5],
  ['pinned', 1],
  ['statusCode', 7],
  ['compass', 'north'],
  ['scopes', ['token:read', 'api-key:write']],
  ['note', 'Password policy: strict'],
  ['remark', 'key accounts; = important'],
])('stores a field named %s as it comes', (name, value) => {
  expect(extraOf({ [name]: value })).toEqual({ [name]: value })
})

it.each([
  ['a JWT', 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln'],
  ['a PEM block', '-----BEGIN KEY-----\nAAAA'],
  ['an address with a query', 'https://files.example.com/a?sig=1'],
  ['an address with a user', 'https://me:you@example.com'],
  ['a query alone', '/download?ticket=4'],
  ['a secret with its name', 'client_secret=hush1'],
  ['a password with its name', 'Password: hush1 (Ada)'],
  ['a header', 'authorization: Bearer hush1'],
  ['JSON with a secret', '{"apiKey":"hush1"}'],
  ['a PIN with its name', 'her PIN = 1234'],
  ['a password with a longer name', 'db_pass=hush1'],
  ['32 hexadecimal digits', '0123456789abcdef0123456789abcdef'],
  ['base64 amid words', `see ${Buffer.from('a text that is to be kept secret').toString('base64')} there`],
  ['a long text', 'word '.repeat(52)],
  ['two GUIDs in one', '7f9c24e8-3b12-4fef-91e0-56a2d5a1c0017f9c24e8-3b12-4fef-91e0-56a2d5a1c002'],
  ['a GUID within a code', 'AbCdEfGhIj12347f9c24e8-3b12-4fef-91e0-56a2d5a1c001ZyXwVuTsRq4321'],
  ['a code before a GUID', 'AbCdEfGhIj12347f9c24e8-3b12-4fef-91e0-56a2d5a1c001'],
  ['a GUID with more', '7f9c24e8-3b12-4fef-91e0-56a2d5a1c001 0123456789abcdef0123456789abcdef'],
])('withholds %s wherever it comes', (_, value) => {
  const note = `[withheld: string of ${value.length} characters]`
  expect(extraOf({ note: value })).toEqual({ note })
  expect(extraOf({ note: [{ deep: [value] }] })).toEqual({ note: [{ deep: [note] }] })
})

it('withholds field names that contain an e-mail address, a secret or content, and counts no event for them', () => {
  const secret = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln'
  const names = ['ada@example.com', 'bob@example.com', secret, 'x'.repeat(101)]
  const reading = readUser({ ...user, ...Object.fromEntries(names.map((name) => [name, 1])), n: { [secret]: 2 } })
  expect(reading).toMatchObject({
    extra: {
      '[withheld: name of 15 characters]': 1,
      '[withheld: name of 101 characters]': 1,
      n: { '[withheld: name of 35 characters]': 2 },
    },
  })
  const shown = reading.ok && [reading.extra, reading.oddities]
  expect(JSON.stringify(shown)).not.toMatch(/ada@|bob@|eyJ|xxx/)
})

it('withholds the secrets of a record that cannot be read, in described fields as well', () => {
  const bad = { ...user, state: 5, clientSecret: 'hush', firstName: 'a'.repeat(40), mfaStatus: { apiKey: 'hush' } }
  expect(readUser(bad)).toMatchObject({
    ok: false,
    raw: {
      userId: 7,
      state: 5,
      firstName: '[withheld: string of 40 characters]',
      email: user.email,
      clientSecret: '[withheld: string of 4 characters]',
      mfaStatus: { apiKey: '[withheld: string of 4 characters]' },
    },
  })
  expect(readRole({ ...role, state: 1, permissions: [{ ...permission, secret: 'hush' }] })).toMatchObject({
    raw: { permissions: [{ code: permission.code, secret: '[withheld: string of 4 characters]' }] },
  })
  expect(readUser(['eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln'])).toMatchObject({
    raw: ['[withheld: string of 35 characters]'],
  })
})
