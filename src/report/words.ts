import { grouped, plural } from '../model/text/numbers.ts'
import { printableJson } from '../model/text/printable.ts'
import { listChange } from '../model/text/words.ts'
import {
  type Coverage,
  type Report,
  type ReportHead,
  type ReportRequirement,
  type ReportResource,
  type RequirementState,
  type Standing,
  standings,
  type TenantReport,
  type TopFindings,
} from './report.ts'

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

/** @param reopened at least 1. */
export function reopenedWords(reopened: number): string {
  return `reopened ${reopened === 1 ? 'once' : `${reopened} times`}`
}

/** `state "Active" -> "Inactive"`, `permissions: +Api_Users_Read`. */
export function changedField({
  field,
  before,
  after,
}: {
  readonly field: unknown
  readonly before: unknown
  readonly after: unknown
}): string {
  const difference = listChange(before, after)
  if (difference !== null) return `${field}: ${difference}`
  return `${field} ${printableJson(before)} -> ${printableJson(after)}`
}

/** After another tenant was accepted, a resource's data belongs to the former tenant until it is read again. */
export function resourceStateWord({ state, dataAsOf }: Pick<ReportResource, 'state' | 'dataAsOf'>): string {
  if (state !== 'never') return state.replace('_', ' ')
  return dataAsOf === null ? 'never complete' : 'not read since the tenant changed'
}

/** The state and why the last runs failed: `on hold, shrink_held`. */
export function resourceStateInWords(one: Pick<ReportResource, 'state' | 'dataAsOf' | 'reasons'>): string {
  return [...new Set([resourceStateWord(one), ...one.reasons.filter((reason) => reason !== one.state)])].join(', ')
}

export const caveat =
  'The state of a requirement follows from the checks mapped to it. Passing checks are evidence, not conformity; a requirement without checks is marked.'

/** Checks of a requirement with the same status, those that fail first. */
export function byStanding({
  checks,
}: ReportRequirement): readonly (readonly [word: string, ids: readonly string[]])[] {
  const groups = Map.groupBy(checks, ({ standing }) => standing)
  return standings
    .filter((standing) => groups.has(standing))
    .map((standing) => [standingWord[standing], groups.get(standing)?.map(({ check }) => check) ?? []])
}

/** `12 of 20 pass, 3 fail, 5 waived`, and `2 unknown` where some are not known. */
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

/** `5 of 6 resources complete and fresh; users: stale`. */
export function qualityInWords({ quality, resources }: TenantReport): string {
  const others = resources.filter(({ state }) => state !== 'fresh')
  const why = others
    .map((one) => `; ${one.resource}: ${one.state === 'failing' ? 'the last run failed' : resourceStateWord(one)}`)
    .join('')
  return `${quality.fresh} of ${plural(quality.of, 'resource')} complete and fresh${why}`
}

/** What was decided: a check, a resource, or the whole tenant. */
export function subjectInWords(subject: string): string {
  return subject === 'all' ? 'the whole tenant' : subject
}

/** `2 waivers (1 active, 1 expired), 1 decision of operators`. */
export function acceptedInWords({ waivers, decisions }: TenantReport): string {
  const states = [...Map.groupBy(waivers, ({ state }) => state)].map(([state, { length }]) => `${length} ${state}`)
  const by = states.length === 0 ? '' : ` (${states.join(', ')})`
  return `${plural(waivers.length, 'waiver')}${by}, ${plural(decisions.length, 'decision')} of operators`
}

/** Empty when all are shown. */
export function moreInWords({ shown, total }: TopFindings): string {
  return shown === total ? '' : `The most severe ${grouped(shown)} of ${grouped(total)}; the JSON report has all.`
}

export const nothingFound = 'No finding was open. Checks above that are unknown may still fail.'

export const inEach = 'The same in each finding:'

export const clocksDiffer =
  'The clocks of tenant and tenantwatch differed too much to evaluate checks that compare times.'

/** Parts of a tenant's report after its summary. */
export const parts = {
  requirements: 'Requirements',
  checks: 'Checks',
  waivers: 'Waivers',
  decisions: 'Decisions of operators',
  findings: 'Findings',
  data: 'Data quality',
} as const
export type Part = keyof typeof parts

/** `shown`: the hash as the format marks it. */
export function chainInWords(head: ReportHead | null, shown: (hash: string) => string): string {
  return head === null ? 'no event yet' : `event ${head.id} of ${head.at}, hash ${shown(head.hash)}`
}

export function headLines(report: Report, asOf: string): readonly (readonly [string, string])[] {
  return [
    ['As of', asOf],
    ['Source', `the history of tenantwatch ${report.version}`],
    ['History', `begins ${report.historyBegins}`],
    ['Configuration', `in force since ${report.configuredSince}, digest ${report.configurationDigest}`],
  ]
}

/** Null if the report contains all tenants of the mirror. */
export function unconfiguredInWords(tenants: readonly string[]): string | null {
  if (tenants.length === 0) return null
  const them = tenants.length === 1 ? 'it' : 'them'
  return `Not in this report, because the configuration does not have ${them}: ${tenants.join(', ')}. The mirror keeps ${tenants.length === 1 ? 'its' : 'their'} data.`
}
