import { expect, it } from 'vitest'
import { documentStatusKnown as check } from '../../src/checks/document-status-known.ts'
import { hourMs } from '../../src/model/durations.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { document } from './support/facts.ts'

const day = 24 * hourMs

it.each([
  ['null for 24 hours', null, day, undefined, []],
  ['null for a millisecond more', null, day + 1, undefined, ['d1 low']],
  ['unknown for long', 'Failed', 2 * day, undefined, ['d1 low']],
  ['a known one in other letters', 'completed', 2 * day, undefined, []],
  ['known for long', 'Processing', 2 * day, undefined, []],
  ['made known by configuration', 'Failed', 2 * day, ['Failed'], []],
  ['null, made known by configuration', null, 2 * day, ['Completed', null], []],
  ['unknown beside a known null', 'Failed', 2 * day, ['Completed', null], ['d1 low']],
])('evaluates a document whose status is %s', async (_case, uploadStatus, age, knownStatuses, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) =>
    void mirror.put('documents', document({ uploadStatus, createdAt: iso(now - age) }))
  expect(brief(await evaluator(check, fill, knownStatuses && { knownStatuses }))).toEqual(expected)
})

it('names the status, or that there is none', async () => {
  const { failures } = await evaluator(check, (mirror) => {
    mirror.put('documents', document({ uploadStatus: null, createdAt: iso(now - 2 * day) }))
    mirror.put('documents', document({ fileId: 'd2', uploadStatus: 'Failed', createdAt: iso(now - 2 * day) }))
  })
  expect(failures.map(({ message }) => message)).toEqual([
    'Document d1 has the unknown upload status null and has been without a completed one since 2026-02-27 12:00 UTC (limit 24 hours).',
    'Document d2 has the unknown upload status "Failed" and has been without a completed one since 2026-02-27 12:00 UTC (limit 24 hours).',
  ])
})

type Fill = Parameters<typeof evaluator>[1]

/** A document first mirrored ten days ago, which went through these statuses since; the last one it still has. */
function through(...statuses: readonly (readonly [hoursAgo: number, status: string | null])[]): Fill {
  return (mirror) => {
    const [, ...later] = statuses
    const [, uploadStatus = null] = statuses.at(-1) ?? []
    const record = document({ uploadStatus, createdAt: iso(now - 10 * day) })
    mirror.put('documents', record, { firstSeenAt: now - 10 * day })
    for (const [i, [hoursAgo, after]] of later.entries()) {
      const change = { resource: 'documents', key: 'd1', kind: 'changed', field: 'uploadStatus' } as const
      const before = statuses[i]?.[1]
      mirror.changes.push({ id: i, ...change, at: now - hoursAgo * hourMs, before, after, requestId: null })
    }
  }
}

it.each<[string, Fill, string | null]>([
  ['one unknown status followed another', through([240, 'Completed'], [30, 'Weird1'], [2, 'Weird2']), '02-28 06:00'],
  ['null followed a busy status', through([240, 'Completed'], [25, 'Processing'], [1, null]), '02-28 11:00'],
  ['it was done in between', through([240, 'Weird1'], [3, 'Completed'], [2, 'Weird2']), null],
  ['it was never known', through([240, null], [48, 'Weird1'], [2, 'Weird2']), '02-19 12:00'],
  ['it is known again', through([240, null], [48, 'Weird1'], [2, 'Completed']), null],
  ['unknown statuses followed each other for less', through([240, 'Completed'], [23, 'Weird1'], [2, null]), null],
])('counts from when it was last done, where %s', async (_case, fill, since) => {
  const { failures } = await evaluator(check, fill)
  expect(failures.map(({ message }) => message.match(/since 2026-(.{11})/)?.[1])).toEqual(since === null ? [] : [since])
})

it('counts from the end of another completed status', async () => {
  const fill = through([240, 'Weird1'], [30, null], [26, 'Weird2'])
  const { failures } = await evaluator(check, fill, {
    others: { 'document-required-present': { statuses: [null] } },
    knownStatuses: ['Completed', null],
  })
  expect(failures.map(({ evidence }) => evidence['statusSince'])).toEqual([iso(now - 26 * hourMs)])
})

it('counts from the times the document had when it was first mirrored', async () => {
  const { failures } = await evaluator(check, (mirror) => {
    through([240, null], [2, 'Weird'])(mirror)
    const updated = { updatedAt: iso(now - 2 * hourMs), createdAt: iso(now - 90 * day), uploadStatus: 'Weird' }
    mirror.put('documents', document(updated), { firstSeenAt: now - 10 * day })
    const change = { resource: 'documents', key: 'd1', kind: 'changed', field: 'updatedAt' } as const
    const [before, after] = [iso(now - 20 * day), iso(now - 2 * hourMs)]
    mirror.changes.push({ id: 9, ...change, at: now - 2 * hourMs, before, after, requestId: null })
  })
  expect(failures.map(({ evidence }) => evidence['statusSince'])).toEqual([iso(now - 20 * day)])
})
