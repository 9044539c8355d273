import { expect, it } from 'vitest'
import { testMirror } from '../support/mirror.ts'

it('accepts only fields of the resource in a condition or a count', async () => {
  const records = testMirror().mirror.records(1)
  // @ts-expect-error a misspelt field
  expect(await records.count('users', { all: [{ field: 'mfaStaus', is: false }] })).toBe(0)
  // @ts-expect-error a field of another resource
  expect(await records.countBy('documents', ['roleName'])).toEqual([])
  expect(await records.countBy('documents', ['uploadStatus'])).toEqual([])
})

it('gives the fields of a record their types', async () => {
  for await (const [user] of testMirror().mirror.records(1).select('users')) {
    const isActive: boolean | undefined = user?.fields.mfaStatus
    // @ts-expect-error the status is a boolean
    const status: string | undefined = user?.fields.mfaStatus
    expect([isActive, status]).toEqual([])
  }
  expect.assertions(0)
})
