import { documentProcessingFinished as check } from '../../src/checks/document-processing-finished.ts'
import { hourMs } from '../../src/model/time.ts'
import { itFinds } from './support/evaluator.ts'
import { being, iso, now } from './support/facts.ts'

const long = 1000 * hourMs
const busy = (...statuses: readonly (string | null)[]) => ({ options: { statuses } })

itFinds(check, [
  ['Processing for 24 hours', being('Processing', 24 * hourMs), [], { population: 1 }],
  [
    'Processing for a millisecond more',
    being('Processing', 24 * hourMs + 1),
    ['d1 medium'],
    { population: 1, evidence: { statusSince: iso(now - 24 * hourMs - 1), filename: 'policy.pdf' } },
  ],
  ['Processing for 2 hours of 1', being('Processing', 2 * hourMs), ['d1 medium'], { options: { hours: 1 } }],
  ['Completed for long', being('Completed', long), []],
  ['no status, which no list names', being(null, long), [], { notEvaluated: 1 }],
  ['Ingesting for long, which no list names', being('Ingesting', long), [], { notEvaluated: 1 }],
  ['Ingesting for long, which means busy here', being('Ingesting', 25 * hourMs), ['d1 medium'], busy('Ingesting')],
  ['Processing for long, which means done here', being('Processing', long), [], busy('Ingesting')],
  ['no status for long, which means busy here', being(null, 25 * hourMs), ['d1 medium'], busy(null)],
  ['the second of two busy statuses', being(null, 25 * hourMs), ['d1 medium'], busy('Processing', null)],
])

const since = (before: string, statusSince: number) => {
  const of = { resource: 'documents', key: 'd1', kind: 'changed', field: 'uploadStatus', requestId: null } as const
  const changes = [
    { id: 1, ...of, at: now - 30 * hourMs, before, after: 'Queued' },
    { id: 2, ...of, at: now - hourMs, before: 'Queued', after: 'Processing' },
  ]
  return { ...busy('Queued', 'Processing'), changes, evidence: { statusSince: iso(statusSince) } }
}
const [mirrored] = being('Processing', 90 * hourMs).documents
const records = { documents: [[mirrored ?? {}, { firstSeenAt: now - 90 * hourMs }] as const] }

itFinds(check, [
  ['the time from the first of several busy statuses', records, ['d1 medium'], since('Completed', now - 30 * hourMs)],
  [
    'the time from the beginning, where it was never done',
    records,
    ['d1 medium'],
    since('Processing', now - 90 * hourMs),
  ],
])
