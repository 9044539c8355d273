import { expect, it } from 'vitest'
import { documentProcessingFinished as check } from '../../src/checks/document-processing-finished.ts'
import { hourMs } from '../../src/model/durations.ts'
import { document } from './support/facts.ts'
import { brief, judge, now } from './support/judging.ts'

it.each([
  ['Processing for 24 hours', 'Processing', 24 * hourMs, {}, []],
  ['Processing for a millisecond more', 'Processing', 24 * hourMs + 1, {}, ['d1 medium']],
  ['Processing for 2 hours of 1', 'Processing', 2 * hourMs, { hours: 1 }, ['d1 medium']],
  ['Completed for long', 'Completed', 1000 * hourMs, {}, []],
  ['without a status for long', null, 1000 * hourMs, {}, []],
])('judges a document that is %s', async (_case, uploadStatus, age, options, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof judge>[1]>[0]) =>
    void mirror.put('documents', document({ uploadStatus }), { statusSince: now - age })
  const result = await judge(check, fill, { options })
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it('says since when', async () => {
  const { failures } = await judge(check, (mirror) =>
    mirror.put('documents', document({ uploadStatus: 'Processing' }), { statusSince: now - 48 * hourMs }),
  )
  expect(failures[0]?.message).toBe(
    'Document d1 has been Processing since 2026-02-27 12:00 UTC, for more than 24 hours.',
  )
  expect(failures[0]?.evidence).toMatchObject({ statusSince: '2026-02-27T12:00:00.000Z', filename: 'policy.pdf' })
})
