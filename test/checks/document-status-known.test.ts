import { documentStatusKnown as check } from '../../src/checks/document-status-known.ts'
import { hourMs } from '../../src/model/durations.ts'
import { itFinds, type Row } from './support/evaluator.ts'
import { document, iso, now } from './support/facts.ts'

const day = 24 * hourMs
const being = (uploadStatus: string | null, ageMs: number) => ({
  documents: [document({ uploadStatus, createdAt: iso(now - ageMs) })],
})

itFinds(check, [
  ['null for 24 hours', being(null, day), []],
  ['null for a millisecond more', being(null, day + 1), ['d1 low']],
  ['a status that is unknown for long', being('Failed', 2 * day), ['d1 low']],
  ['a known one in other letters', being('completed', 2 * day), []],
  ['a known one for long', being('Processing', 2 * day), []],
  ['one made known by configuration', being('Failed', 2 * day), [], { knownStatuses: ['Failed'] }],
  ['null, made known by configuration', being(null, 2 * day), [], { knownStatuses: ['Completed', null] }],
  ['an unknown one beside a known null', being('Failed', 2 * day), ['d1 low'], { knownStatuses: ['Completed', null] }],
])

type Step = readonly [hoursAgo: number, status: string | null]
const of = { resource: 'documents', key: 'd1', kind: 'changed', requestId: null } as const

/** A document first mirrored ten days ago, which went through these statuses since; the last one it still has. */
function through(what: string, statuses: readonly Step[], since: string | null, more = {}): Row {
  const [, ...later] = statuses
  const [, uploadStatus = null] = statuses.at(-1) ?? []
  const record = document({ uploadStatus, createdAt: iso(now - 10 * day) })
  const changes = later.map(([hoursAgo, after], id) => {
    return { id, ...of, field: 'uploadStatus', at: now - hoursAgo * hourMs, before: statuses[id]?.[1], after }
  })
  const evidence = since === null ? {} : { evidence: { statusSince: `2026-${since}:00.000Z` } }
  return [
    `the time since it was last done, where ${what}`,
    { documents: [[record, { firstSeenAt: now - 10 * day }]] },
    since === null ? [] : ['d1 low'],
    { changes, ...evidence, ...more },
  ]
}

const doneByNull = {
  others: { 'document-required-present': { statuses: [null] } },
  knownStatuses: ['Completed', null],
}

itFinds(check, [
  through(
    'one unknown status followed another',
    [
      [240, 'Completed'],
      [30, 'Weird1'],
      [2, 'Weird2'],
    ],
    '02-28T06:00',
  ),
  through(
    'null followed a busy status',
    [
      [240, 'Completed'],
      [25, 'Processing'],
      [1, null],
    ],
    '02-28T11:00',
  ),
  through(
    'it was done in between',
    [
      [240, 'Weird1'],
      [3, 'Completed'],
      [2, 'Weird2'],
    ],
    null,
  ),
  through(
    'it was never known',
    [
      [240, null],
      [48, 'Weird1'],
      [2, 'Weird2'],
    ],
    '02-19T12:00',
  ),
  through(
    'it is known again',
    [
      [240, null],
      [48, 'Weird1'],
      [2, 'Completed'],
    ],
    null,
  ),
  through(
    'unknown ones followed each other for less',
    [
      [240, 'Completed'],
      [23, 'Weird1'],
      [2, null],
    ],
    null,
  ),
  through(
    'another status means done',
    [
      [240, 'Weird1'],
      [30, null],
      [26, 'Weird2'],
    ],
    '02-28T10:00',
    doneByNull,
  ),
])

const updated = { updatedAt: iso(now - 2 * hourMs), createdAt: iso(now - 90 * day), uploadStatus: 'Weird' }
const [before, after] = [iso(now - 20 * day), iso(now - 2 * hourMs)]

itFinds(check, [
  [
    'the times that the document had when it was first mirrored',
    { documents: [[document(updated), { firstSeenAt: now - 10 * day }]] },
    ['d1 low'],
    {
      changes: [
        { id: 1, ...of, field: 'uploadStatus', at: now - 2 * hourMs, before: null, after: 'Weird' },
        { id: 2, ...of, field: 'updatedAt', at: now - 2 * hourMs, before, after },
      ],
      evidence: { statusSince: before },
    },
  ],
])
