import { expect, it } from 'vitest'
import { documentRequiredPresent as check } from '../../src/checks/document-required-present.ts'
import { comparableName, globMatcher } from '../../src/model/text/glob.ts'
import { dayMs } from '../../src/model/time.ts'
import { itFinds, type Row } from './support/evaluator.ts'
import { document, iso, now } from './support/facts.ts'

const soc2 = { id: 'soc2', pattern: 'SOC2*.pdf', maxAgeDays: 365 }
const options = { requirements: [soc2] }
const old = (days: number) => iso(now - days * dayMs)

const one = (what: string, fields: Record<string, unknown>, findings: readonly string[], more = {}): Row => [
  `a requirement when the document ${what}`,
  { documents: [document({ filename: 'SOC2 report.pdf', ...fields })] },
  findings,
  { population: 1, options, ...more },
]
const done = (...statuses: readonly (string | null)[]) => ({ options: { ...options, statuses } })

itFinds(check, [
  one('matches and is young enough', { createdAt: old(365) }, []),
  one('is a millisecond too old', { createdAt: iso(now - 365 * dayMs - 1) }, ['soc2 high']),
  one('is old but was updated', { createdAt: old(999), updatedAt: iso(now) }, []),
  one('matches in other letters', { filename: 'soc2-2026.PDF' }, []),
  one('has another name', { filename: 'my soc2.pdf' }, ['soc2 high']),
  one('has no name', { filename: null }, ['soc2 high']),
  one('has no name, where any will do', { filename: null }, ['any high'], {
    options: { requirements: [{ id: 'any', pattern: '*' }] },
  }),
  one('is still Processing', { uploadStatus: 'Processing' }, ['soc2 high']),
  one('has no status', { uploadStatus: null }, ['soc2 high']),
  one('has another word for done', { uploadStatus: 'Indexed' }, [], done('Indexed')),
  one('has it in other letters', { uploadStatus: 'indexed' }, [], done('Indexed')),
  one('has what is done by default only', {}, ['soc2 high'], done('Indexed')),
  one('has null where that means done', { uploadStatus: null }, [], done(null)),
  one('has one of two words for done', { uploadStatus: null }, [], done('Indexed', null)),
])

const named = (fileId: string, filename: string, createdAt: string) => document({ fileId, filename, createdAt })
const requirements = [soc2, { id: 'dpa', pattern: 'dpa*' }, { id: 'gdpr', pattern: 'gdpr*', maxAgeDays: 30 }]

itFinds(check, [
  [
    'each requirement, with the nearest match as evidence',
    { documents: [3, 2, 4].map((years) => named(`y${years}`, 'soc2.pdf', old(years * 365))) },
    ['soc2 high', 'pentest high'],
    {
      population: 2,
      options: { requirements: [soc2, { id: 'pentest', pattern: '*pentest*' }] },
      evidence: { nearest: { fileId: 'y2' } },
      message: /^Requirement soc2 is not met: .* was uploaded on 2024-03-01 12:00 UTC, more than 365 days ago\.$/,
    },
  ],
  [
    'a requirement whose only match is missing from the last complete full sync',
    {
      documents: [
        named('a', 'soc2.pdf', iso(now)),
        named('b', 'soc2-old.pdf', old(400)),
        named('c', 'dpa.pdf', iso(now)),
        named('d', 'dpa-shown.pdf', old(400)),
        named('e', 'gdpr.pdf', old(400)),
      ],
    },
    ['gdpr high'],
    {
      absent: ['a', 'c', 'e'],
      options: { requirements },
      population: 3,
      notEvaluated: 1,
      scope: { soc2: 'not_evaluated', dpa: 'evaluated' },
    },
  ],
])

it('is configured with a requirement', () => {
  const isConfigured = (given: object) => check.isConfigured?.(check.options.parse(given))
  expect([isConfigured({}), isConfigured({ requirements: [soc2] })]).toEqual([false, true])
})

it.each([
  ['two requirements of one id', [soc2, { ...soc2, pattern: 'x' }]],
  ['an empty pattern', [{ ...soc2, pattern: '' }]],
  ['an age of nothing', [{ ...soc2, maxAgeDays: 0 }]],
  ['an id that is a sentence', [{ ...soc2, id: 'the SOC 2 report' }]],
])('refuses %s', (_case, requirements) => {
  expect(check.options.safeParse({ requirements }).success).toBe(false)
})

it.each([
  ['*', '', true],
  ['a*c', 'abbbc', true],
  ['a*c', 'abbbd', false],
  ['?.pdf', 'a.pdf', true],
  ['?.pdf', '.pdf', false],
  ['?.pdf', '😀.pdf', true],
  ['a.c', 'abc', false],
  ['*.pdf*', 'x.pdf', true],
  ['(a+)+$', '(a+)+$', true],
  ['caf\u00e9*', 'Cafe\u0301 menu', true],
])('matches the pattern %s with %s: %s', (pattern, name, expected) => {
  expect(globMatcher(pattern)(comparableName(name))).toBe(expected)
})
