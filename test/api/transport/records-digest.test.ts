import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordsDigest } from '../../../src/api/transport/envelope.ts'

const answer = (data: unknown, requestId = 'r1', nextCursor: string | null = 'next') =>
  JSON.stringify({ data, error: null, meta: { requestId }, pagination: { nextCursor, hasMore: true } })

const digested = (text: string, salt = '1') => recordsDigest(Buffer.from(text), salt)
const digestOf = (text: string, salt = '1') => digested(text, salt)?.digest ?? null

it('is the same for the same records in another answer', () => {
  const records = [
    { id: 1, name: 'a]b[c' },
    { id: 2, tags: ['x'] },
  ]
  expect(digestOf(answer(records))).not.toBeNull()
  expect(digestOf(answer(records, 'r2', 'other'))).toBe(digestOf(answer(records)))
})

it('is another for other records, another order and another salt', () => {
  const digest = digestOf(answer([{ id: 1 }, { id: 2 }]))
  expect(digestOf(answer([{ id: 1 }, { id: 3 }]))).not.toBe(digest)
  expect(digestOf(answer([{ id: 2 }, { id: 1 }]))).not.toBe(digest)
  expect(digestOf(answer([{ id: 1 }, { id: 2 }]), '2')).not.toBe(digest)
})

it('leaves the rest of the answer, with an empty list in the place of the records', () => {
  const records = digested(answer([{ id: 1 }]))
  expect(JSON.parse(records?.rest ?? '')).toEqual(JSON.parse(answer([])))
})

it.each([
  ['no JSON', 'data: [1]'],
  ['no list', answer({ id: 1 })],
  ['a list within an object', answer({ list: [1] })],
  ['a text with brackets', answer('[1]')],
  ['a bracket in the cursor', answer([1], 'r1', 'a]')],
  ['a bracket before the records', `{"meta":{"requestId":"[r1"},"data":[1]}`],
  ['another list behind the records', `{"data":[1],"meta":{"notes":[2]}}`],
  ['data named again behind the records', `{"data":[1],"data":null,"meta":{}}`],
  ['a list that is not closed', '{"data":[1'],
])('is not had of %s', (_, text) => {
  expect(digested(text)).toBeNull()
})

it('never takes two answers with other records for the same', () => {
  const text = fc.string({ unit: fc.constantFrom('[', ']', '"', '\\', '{', '}', ',', ':', 'd', 'data', '\u{10fffe}') })
  const value = fc.oneof(fc.jsonValue(), fc.array(fc.record({ data: text, [`"`]: text })), text)
  const shape = fc.record({ data: value, meta: value, pagination: value })
  fc.assert(
    fc.property(shape, shape, fc.boolean(), (one, other, alike) => {
      const [a, b] = [one, alike ? { ...other, data: one.data } : other].map((body) => JSON.stringify(body))
      const digests = [digestOf(a ?? ''), digestOf(b ?? '')]
      if (digests[0] === null || digests[0] !== digests[1]) return
      expect(JSON.parse(b ?? '').data).toEqual(JSON.parse(a ?? '').data)
    }),
  )
})
