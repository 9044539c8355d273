import type { Coverage, Report, RequirementState, Standing, TenantReport } from './report.ts'

/** What the parts of a report are called, in every format. */
export const standingWord = {
  fail: 'fail',
  unknown: 'unknown',
  waived: 'waived',
  pass: 'pass',
  not_applicable: 'not applicable',
  off: 'off',
} as const satisfies Record<Standing, string>

export const requirementWord = {
  fail: 'fail',
  unknown: 'unknown',
  waived: 'waived',
  pass: 'pass',
  not_applicable: 'not applicable',
  no_check: 'no check',
} as const satisfies Record<RequirementState, string>

/** What a report is not. */
export const caveat =
  'A requirement is shown by the checks that bear upon it. That they pass is evidence, not conformity; what no check bears upon is marked.'

/** `2 fail, 12 pass, of 17`; what there is none of is left out. */
export function countsInWords<Word extends string>(
  counts: Readonly<Record<Word, number>>,
  words: Readonly<Record<Word, string>>,
): string {
  const all = Object.keys(words) as Word[]
  const sum = all.reduce((total, word) => total + counts[word], 0)
  const parts = all.filter((word) => counts[word] > 0).map((word) => `${counts[word]} ${words[word]}`)
  return `${parts.join(', ')}${parts.length === 0 ? '' : ', '}of ${sum}`
}

/** `12 of 20 pass, 3 fail, 5 waived`; entities of which it is not known are said to be so. */
export function coverageInWords({ entities, passing, failing, waived, unknown }: Coverage): string {
  const rest = [
    ...(failing > 0 ? [`${failing} fail`] : []),
    ...(waived > 0 ? [`${waived} waived`] : []),
    ...((unknown ?? 0) > 0 ? [`${unknown} unknown`] : []),
  ]
  if (entities === null) return ['number not known', ...rest].join(', ')
  if (entities === 0 && rest.length === 0) return 'none'
  return [`${passing ?? 0} of ${entities} pass`, ...rest].join(', ')
}

/** Some lines about the whole, as name and value. */
export function headLines(report: Report, asOf: string): readonly (readonly [string, string])[] {
  return [
    ['As of', asOf],
    ['Made from', `the record of tenantwatch ${report.version}`],
    ['Record', `no record before ${report.recordBegins}`],
    ['Configuration', `in force since ${report.configuredSince}, digest ${report.configurationDigest}`],
  ]
}

/** One sentence of a tenant. Nothing sounds well while something could not be evaluated. */
export function tenantSentence({ standings: { fail, unknown, off }, quality }: TenantReport): string {
  const data = `the data of ${quality.fresh} of ${quality.of} resources was complete and fresh`
  const wrong = [
    ...(fail > 0 ? [`${fail} ${fail === 1 ? 'check fails' : 'checks fail'}`] : []),
    ...(unknown > 0 ? [`${unknown} cannot be evaluated`] : []),
    ...(off > 0 ? [`${off} switched off`] : []),
  ]
  return `${wrong.length === 0 ? 'No check fails' : wrong.join(', ')}; ${data}.`
}
