import * as z from 'zod'
import { findingStates } from '../../model/finding.ts'
import { severities } from '../../model/severity.ts'
import { searchText, text, word, words } from '../query.ts'

export const pageStates = [...findingStates, 'all'] as const

export const trendDays = ['7', '30', '90'] as const

export const pageQuery = z.object({
  tenant: text('Only this tenant, with all details'),
  find: text('Only tenants whose name contains this text'),
  severity: words('severity', severities, 'Only findings of these severities'),
  check: text('Only findings of this check'),
  owner: text('Only findings of this owner'),
  state: word('state', pageStates, 'Findings in this state; open by default'),
  q: searchText,
  days: word('days', trendDays, 'Days that the plot of open findings shows; absent = 30, or 7 of a short history'),
  after: text('Fingerprint of a finding; the page shows the findings after it in the list'),
})

/** A parameter that does not restrict is absent. */
export type PageQuery = z.output<typeof pageQuery>

/** An empty value counts as absent: a form sends its empty fields. So does the state that is shown without one. */
export function withoutEmpty(query: PageQuery): PageQuery {
  const given = parametersOf(query)
  return Object.fromEntries(Object.entries(query).filter(([name]) => given.has(name)))
}

/** Those that restrict, in the order of `pageQuery`. */
export function parametersOf(query: PageQuery): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const name of Object.keys(pageQuery.shape) as (keyof PageQuery)[]) {
    const value = String(query[name] ?? '')
    if (value !== '' && !(name === 'state' && value === 'open')) parameters.set(name, value)
  }
  return parameters
}

/**
 * Starts at the first finding unless `over` sets `after`, which is a place in one list only. Links are relative, so that
 * the page works below any path of a proxy.
 */
export function hrefOf(query: PageQuery, over: PageQuery, anchor = ''): string {
  const parameters = parametersOf({ ...query, after: undefined, ...over })
  return `./${parameters.size === 0 ? '' : `?${parameters}`}${anchor}`
}

export const unfiltered = {
  severity: undefined,
  check: undefined,
  owner: undefined,
  state: undefined,
  q: undefined,
} as const satisfies PageQuery

export function isFiltered(query: PageQuery): boolean {
  return Object.keys(unfiltered).some((name) => query[name as keyof PageQuery] !== undefined)
}

export function runbookHref(alert: string): string {
  return `./runbook?name=${alert}`
}
