import { expect, it } from 'vitest'
import { documentProcessingFinished as check } from '../../src/checks/document-processing-finished.ts'
import { hourMs } from '../../src/model/durations.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { document } from './support/facts.ts'

it.each([
  ['Processing for 24 hours', 'Processing', 24 * hourMs, {}, []],
  ['Processing for a millisecond more', 'Processing', 24 * hourMs + 1, {}, ['d1 medium']],
  ['Processing for 2 hours of 1', 'Processing', 2 * hourMs, { hours: 1 }, ['d1 medium']],
  ['Completed for long', 'Completed', 1000 * hourMs, {}, []],
  ['without a status for long', null, 1000 * hourMs, {}, []],
  ['Ingesting for long, which no list names', 'Ingesting', 1000 * hourMs, {}, []],
  ['Ingesting for long, which means busy here', 'Ingesting', 25 * hourMs, { statuses: ['Ingesting'] }, ['d1 medium']],
  ['Processing for long, which means done here', 'Processing', 1000 * hourMs, { statuses: ['Ingesting'] }, []],
  ['without a status for long, which means busy here', null, 25 * hourMs, { statuses: [null] }, ['d1 medium']],
  ['in the second of two busy statuses', null, 25 * hourMs, { statuses: ['Processing', null] }, ['d1 medium']],
])('evaluates a document that is %s', async (_case, uploadStatus, age, options, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) =>
    void mirror.put('documents', document({ uploadStatus, createdAt: iso(now - age) }))
  const result = await evaluator(check, fill, { options })
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it('counts from the first of several consecutive busy statuses', async () => {
  const options = { statuses: ['Queued', 'Processing'] }
  const fill = (before: string) => (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    const times = { firstSeenAt: now - 90 * hourMs }
    mirror.put('documents', document({ uploadStatus: 'Processing', createdAt: iso(now - 90 * hourMs) }), times)
    const change = {
      resource: 'documents',
      key: 'd1',
      kind: 'changed',
      field: 'uploadStatus',
      requestId: null,
    } as const
    mirror.changes.push({ id: 1, ...change, at: now - 30 * hourMs, before, after: 'Queued' })
    mirror.changes.push({ id: 2, ...change, at: now - hourMs, before: 'Queued', after: 'Processing' })
  }
  const { failures } = await evaluator(check, fill('Completed'), { options })
  expect(failures.map(({ message }) => message)).toEqual([
    'Document d1 is Processing and has been without a completed status since 2026-02-28 06:00 UTC, for more than 24 hours.',
  ])
  expect(failures[0]?.evidence['statusSince']).toBe(iso(now - 30 * hourMs))
  expect((await evaluator(check, fill('Processing'), { options })).failures[0]?.evidence['statusSince']).toBe(
    iso(now - 90 * hourMs),
  )
})

it('reports the start time', async () => {
  const { failures } = await evaluator(check, (mirror) =>
    mirror.put('documents', document({ uploadStatus: 'Processing', createdAt: iso(now - 48 * hourMs) })),
  )
  expect(failures[0]?.message).toBe(
    'Document d1 is Processing and has been without a completed status since 2026-02-27 12:00 UTC, for more than 24 hours.',
  )
  expect(failures[0]?.evidence).toMatchObject({ statusSince: '2026-02-27T12:00:00.000Z', filename: 'policy.pdf' })
})
