import { expect, it } from 'vitest'
import { documentCurrent as check } from '../../src/checks/document-current.ts'
import { dayMs } from '../../src/model/durations.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { document } from './support/facts.ts'

const old = iso(now - 365 * dayMs - 1)

it.each([
  ['created 365 days ago', { createdAt: iso(now - 365 * dayMs) }, {}, []],
  ['created a millisecond earlier', { createdAt: old }, {}, ['d1 medium']],
  ['created long ago and updated since', { createdAt: old, updatedAt: iso(now) }, {}, []],
  ['updated long ago', { createdAt: old, updatedAt: old }, {}, ['d1 medium']],
  ['two days old where one is allowed', { createdAt: iso(now - 2 * dayMs) }, { days: 1 }, ['d1 medium']],
])('evaluates a document %s', async (_case, fields, options, expected) => {
  const result = await evaluator(check, (mirror) => mirror.put('documents', document(fields)), { options })
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it.each([
  ['2024-05-01T00:00:00Z', 'was last updated on 2024-05-01 00:00 UTC'],
  [null, 'was uploaded on 2023-05-01 00:00 UTC'],
])('states when the document was last touched: updatedAt %s', async (updatedAt, words) => {
  const fields = { createdAt: '2023-05-01T00:00:00Z', updatedAt }
  const { failures } = await evaluator(check, (mirror) => mirror.put('documents', document(fields)))
  expect(failures[0]?.message).toBe(`Document d1 ${words}, more than 365 days ago.`)
})
