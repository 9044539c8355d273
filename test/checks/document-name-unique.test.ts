import { expect, it } from 'vitest'
import { documentNameUnique as check } from '../../src/checks/document-name-unique.ts'
import { brief, evaluator } from './support/evaluator.ts'
import { document } from './support/facts.ts'

it('passes documents with unique names and documents without a name', async () => {
  const result = await evaluator(check, (mirror) => {
    mirror.put('documents', document())
    mirror.put('documents', document({ fileId: 'd2', filename: 'Policy.pdf' }))
    for (const fileId of ['d3', 'd4']) mirror.put('documents', document({ fileId, filename: null }))
  })
  expect(result).toMatchObject({ population: 2, failures: [] })
})

it('makes one finding per duplicate name and counts each name once', async () => {
  const result = await evaluator(check, (mirror) => {
    for (const fileId of ['d1', 'd2', 'd3']) mirror.put('documents', document({ fileId }))
    for (const fileId of ['d4', 'd5']) mirror.put('documents', document({ fileId, filename: '__proto__' }))
    mirror.put('documents', document({ fileId: 'd6', filename: 'alone.pdf' }))
  })
  expect(result.population).toBe(3)
  expect(brief(result)).toEqual(['__proto__ info', 'policy.pdf info'])
  expect(result.failures[1]?.message).toBe('3 documents have this file name.')
  expect(result.failures[1]?.evidence['documents']).toMatchObject([
    { fileId: 'd1' },
    { fileId: 'd2' },
    { fileId: 'd3' },
  ])
})

it('lists at most twenty documents of one name', async () => {
  const { failures } = await evaluator(check, (mirror) => {
    for (let at = 0; at < 30; at++) mirror.put('documents', document({ fileId: `d${at}` }))
  })
  expect(failures[0]?.evidence['count']).toBe(30)
  expect(failures[0]?.evidence['documents']).toHaveLength(20)
})
