import { documentStatusKnown as check } from '../../src/checks/document-status-known.ts'
import { hourMs } from '../../src/model/time.ts'
import { itFinds, type Row } from './support/evaluator.ts'
import { being, document, iso, now } from './support/facts.ts'

const day = 24 * hourMs

itFinds(check, [
  ['null for 24 hours', being(null, day), []],
  ['null for a millisecond more', being(null, day + 1), ['d1 low']],
  ['a status that is unknown for long', being('Failed', 2 * day), ['d1 low']],
  ['a known one in other letters', being('completed', 2 * day), []],
  ['one made known by configuration', being('Failed', 2 * day), [], { knownStatuses: ['Failed'] }],
  ['null, made known by configuration', being(null, 2 * day), [], { knownStatuses: ['Completed', null] }],
  ['an unknown one beside a known null', being('Failed', 2 * day), ['d1 low'], { knownStatuses: ['Completed', null] }],
])

const of = { resource: 'documents', key: 'd1', kind: 'changed', requestId: null } as const

/** A document first mirrored ten days ago, which has had each status since so many hours ago; `null` is a status, too. */
function through(what: string, statuses: Readonly<Record<string, number>>, since: string | null, more = {}): Row {
  const names = Object.keys(statuses).map((name) => (name === 'null' ? null : name))
  const changes = names.slice(1).map((after, id) => {
    const at = now - Number(statuses[String(after)]) * hourMs
    return { id, ...of, field: 'uploadStatus', at, before: names[id], after }
  })
  const record = document({ uploadStatus: names.at(-1), createdAt: iso(now - 10 * day) })
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
  through('one unknown status followed another', { Completed: 240, Weird1: 30, Weird2: 2 }, '02-28T06:00'),
  through('null followed a busy status', { Completed: 240, Processing: 25, null: 1 }, '02-28T11:00'),
  through('it was done in between', { Weird1: 240, Completed: 3, Weird2: 2 }, null),
  through('it was never known', { null: 240, Weird1: 48, Weird2: 2 }, '02-19T12:00'),
  through('it is known again', { null: 240, Weird1: 48, Completed: 2 }, null),
  through('unknown ones followed each other for less', { Completed: 240, Weird1: 23, null: 2 }, null),
  through('another status means done', { Weird1: 240, null: 30, Weird2: 26 }, '02-28T10:00', doneByNull),
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
