import { expect, it } from 'vitest'
import { documentStatusKnown as check } from '../../src/checks/document-status-known.ts'
import { hourMs } from '../../src/model/durations.ts'
import { document } from './support/facts.ts'
import { brief, judge, now } from './support/judging.ts'

const day = 24 * hourMs

it.each([
  ['null for 24 hours', null, day, undefined, []],
  ['null for a millisecond more', null, day + 1, undefined, ['d1 low']],
  ['unknown for long', 'Failed', 2 * day, undefined, ['d1 low']],
  ['a known one in other letters', 'completed', 2 * day, undefined, ['d1 low']],
  ['known for long', 'Processing', 2 * day, undefined, []],
  ['made known by configuration', 'Failed', 2 * day, ['Failed'], []],
])('judges a document whose status is %s', async (_case, uploadStatus, age, knownStatuses, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof judge>[1]>[0]) =>
    void mirror.put('documents', document({ uploadStatus }), { statusSince: now - age })
  expect(brief(await judge(check, fill, knownStatuses && { knownStatuses }))).toEqual(expected)
})

it('names the status, or that there is none', async () => {
  const { failures } = await judge(check, (mirror) => {
    mirror.put('documents', document({ uploadStatus: null }), { statusSince: now - 2 * day })
    mirror.put('documents', document({ fileId: 'd2', uploadStatus: 'Failed' }), { statusSince: now - 2 * day })
  })
  expect(failures.map(({ message }) => message)).toEqual([
    'Document d1 has had no upload status since 2026-02-27 12:00 UTC, for more than 24 hours.',
    'Document d2 has had the unknown upload status "Failed" since 2026-02-27 12:00 UTC, for more than 24 hours.',
  ])
})

it('is another rule when other statuses are known, whatever their order', async () => {
  const ruleOf = async (...knownStatuses: string[]) => (await judge(check, () => {}, { knownStatuses })).rule
  expect(await ruleOf('A', 'B')).toBe(await ruleOf('B', 'A'))
  expect(await ruleOf('A', 'B')).not.toBe(await ruleOf('A'))
})
