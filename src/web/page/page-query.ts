import * as z from 'zod'
import { type Severity, severities } from '../../model/severity.ts'
import { searchText, text, word, words } from '../query.ts'

export const shownStates = ['open', 'waived', 'resolved', 'all'] as const

export const pageQuery = z.object({
  tenant: text('Only this tenant, with all details'),
  find: text('Only tenants whose name contains this text'),
  severity: words('severity', severities, 'Only findings of these severities'),
  check: text('Only findings of this check'),
  state: word('state', shownStates, 'Findings in this state; all = open and waived'),
  q: searchText,
  after: text('Fingerprint of a finding; the page shows the findings after it in the list'),
})

export interface PageQuery {
  readonly tenant: string | null
  /** Only tenants whose name contains this text, when there are many. */
  readonly find: string
  readonly severities: readonly Severity[] | null
  readonly check: string | null
  readonly state: (typeof shownStates)[number]
  readonly text: string
  /** Fingerprint; shows only the findings after it in the tenant's list. */
  readonly after: string | null
}

/** An empty value counts as absent: a form sends its empty fields. */
export function pageQueryOf(given: z.output<typeof pageQuery> = {}): PageQuery {
  const { tenant, find, severity = severities, check, state, q, after } = given
  return {
    tenant: tenant || null,
    find: find ?? '',
    severities: severity.length === severities.length ? null : severity,
    check: check || null,
    state: state ?? 'open',
    text: q ?? '',
    after: after || null,
  }
}

export const wholePage = pageQueryOf()

export function parametersOf(query: PageQuery): readonly (readonly [name: string, value: string])[] {
  const { tenant, find, severities: wanted, check, state, text: searched, after } = query
  const all: readonly (readonly [string, string | null])[] = [
    ['tenant', tenant],
    ['find', find],
    ['severity', wanted?.join(',') ?? null],
    ['check', check],
    ['state', state === 'open' ? null : state],
    ['q', searched],
    ['after', after],
  ]
  return all.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value] as const]))
}

/** Starts at the first finding unless `over` sets `after`, which is a place in one list only. */
export function hrefOf(query: PageQuery, over: Partial<PageQuery>, anchor = ''): string {
  const parameters = new URLSearchParams(
    parametersOf({ ...query, after: null, ...over }).map(([name, value]) => [name, value]),
  )
  return `/${parameters.size === 0 ? '' : `?${parameters}`}${anchor}`
}

export const unfiltered = {
  severities: null,
  check: null,
  state: 'open',
  text: '',
} as const satisfies Partial<PageQuery>

export function isFiltered({ severities: wanted, check, state, text: searched }: PageQuery): boolean {
  return wanted !== null || check !== null || state !== 'open' || searched !== ''
}

export function runbookHref(alert: string): string {
  return `/runbook?name=${alert}`
}
