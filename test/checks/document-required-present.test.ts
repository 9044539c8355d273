import { expect, it } from 'vitest'
import { documentRequiredPresent as check } from '../../src/checks/document-required-present.ts'
import { dayMs } from '../../src/model/durations.ts'
import { comparableName, globMatcher } from '../../src/model/text/glob.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { document } from './support/facts.ts'

const soc2 = { id: 'soc2', pattern: 'SOC2*.pdf', maxAgeDays: 365 }

it.each<[string, Record<string, unknown>, string[]]>([
  ['matches and is young enough', { createdAt: iso(now - 365 * dayMs) }, []],
  ['is a millisecond too old', { createdAt: iso(now - 365 * dayMs - 1) }, ['soc2 high']],
  ['is old but was updated', { createdAt: iso(now - 999 * dayMs), updatedAt: iso(now) }, []],
  ['matches in other letters', { filename: 'soc2-2026.PDF' }, []],
  ['has another name', { filename: 'my soc2.pdf' }, ['soc2 high']],
  ['has no name', { filename: null }, ['soc2 high']],
  ['is still Processing', { uploadStatus: 'Processing' }, ['soc2 high']],
  ['has no status', { uploadStatus: null }, ['soc2 high']],
])('evaluates a requirement when the document %s', async (_case, fields, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) =>
    void mirror.put('documents', document({ filename: 'SOC2 report.pdf', ...fields }))
  const result = await evaluator(check, fill, { options: { requirements: [soc2] } })
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it.each<[string, Record<string, unknown>, readonly (string | null)[], string[]]>([
  ['another word for done', { uploadStatus: 'Indexed' }, ['Indexed'], []],
  ['what is done by default only', {}, ['Indexed'], ['soc2 high']],
  ['null where that means done', { uploadStatus: null }, [null], []],
  ['one of two words for done', { uploadStatus: null }, ['Indexed', null], []],
])('takes documents for done that have %s', async (_case, fields, statuses, expected) => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) =>
    void mirror.put('documents', document({ filename: 'SOC2 report.pdf', ...fields }))
  expect(brief(await evaluator(check, fill, { options: { requirements: [soc2], statuses } }))).toEqual(expected)
})

it('is configured with a requirement', () => {
  const isConfigured = (given: object) => check.isConfigured?.(check.options.parse(given))
  expect([isConfigured({}), isConfigured({ requirements: [soc2] })]).toEqual([false, true])
})

it('makes one finding per requirement, with the nearest match as evidence', async () => {
  const pentest = { id: 'pentest', pattern: '*pentest*' }
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    for (const [fileId, years] of [
      ['a', 3],
      ['b', 2],
      ['c', 4],
    ] as const) {
      mirror.put('documents', document({ fileId, filename: 'soc2.pdf', createdAt: iso(now - years * 365 * dayMs) }))
    }
  }
  const { failures } = await evaluator(check, fill, { options: { requirements: [soc2, pentest] } })
  expect(failures.map(({ message }) => message)).toEqual([
    'Requirement soc2 is not met: the newest Completed document whose name matches was uploaded on 2024-03-01 12:00 UTC, more than 365 days ago.',
    'Requirement pentest is not met: no Completed document has a name that matches, whatever the letter case.',
  ])
  expect(failures.map(({ evidence }) => evidence)).toMatchObject([
    { requirement: 'soc2', pattern: 'SOC2*.pdf', maxAgeDays: 365, nearest: { fileId: 'b' } },
    { requirement: 'pentest', pattern: '*pentest*', maxAgeDays: null, nearest: null },
  ])
})

it('matches no pattern with a document that has no name', async () => {
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) =>
    void mirror.put('documents', document({ filename: null }))
  const result = await evaluator(check, fill, { options: { requirements: [{ id: 'any', pattern: '*' }] } })
  expect(brief(result)).toEqual(['any high'])
})

it('cannot evaluate a requirement whose only match is missing from the last complete full sync', async () => {
  const old = iso(now - 400 * dayMs)
  const fill = (mirror: Parameters<Parameters<typeof evaluator>[1]>[0]) => {
    for (const [fileId, filename, createdAt] of [
      ['a', 'soc2.pdf', iso(now)],
      ['b', 'soc2-old.pdf', old],
      ['c', 'dpa.pdf', iso(now)],
      ['d', 'dpa-shown.pdf', old],
      ['e', 'gdpr.pdf', old],
    ] as const)
      mirror.put('documents', document({ fileId, filename, createdAt }))
    for (const key of ['a', 'c', 'e']) mirror.miss('documents', key)
  }
  const requirements = [soc2, { id: 'dpa', pattern: 'dpa*' }, { id: 'gdpr', pattern: 'gdpr*', maxAgeDays: 30 }]
  const result = await evaluator(check, fill, { options: { requirements } })
  expect(brief(result)).toEqual(['gdpr high'])
  expect(result).toMatchObject({ population: 3, notEvaluated: 1, notEvaluatedFor: 'missing_records' })
  expect(await result.scope('soc2')).toBe('not_evaluated')
  expect(await result.scope('dpa')).toBe('evaluated')
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
