import { type Severity, severities } from '../../model/severity.ts'
import { type Parsed, someOf } from '../answer.ts'

export const shownStates = ['open', 'waived', 'all'] as const
export const sortKeys = ['severity', 'entity', 'check', 'age'] as const
export type SortKey = (typeof sortKeys)[number]

export const pageParameters = ['tenant', 'find', 'severity', 'check', 'state', 'q', 'sort', 'show', 'after'] as const

const longest = 200

export interface PageQuery {
  readonly tenant: string | null
  /** Only tenants whose name contains this text, when there are many. */
  readonly find: string
  readonly severities: readonly Severity[] | null
  readonly check: string | null
  readonly state: (typeof shownStates)[number]
  readonly text: string
  readonly sort: SortKey
  /** Reversed order: lowest severity, last in the alphabet or newest first. */
  readonly reversed: boolean
  readonly long: boolean
  /** Fingerprint; shows only the findings after it in the tenant's list. */
  readonly after: string | null
}

export const wholePage: PageQuery = {
  tenant: null,
  find: '',
  severities: null,
  check: null,
  state: 'open',
  text: '',
  sort: 'severity',
  reversed: false,
  long: false,
  after: null,
}

/** An empty value counts as absent. An unknown value is refused: it would look like "nothing found". */
export function parsePageQuery(parameters: Readonly<Record<string, string>>): Parsed<PageQuery> {
  const { tenant = '', find = '', severity = '', check = '', state = '', q = '', sort = '', ...place } = parameters
  const { show = '', after = '' } = place
  const wanted = severity === '' ? severities : someOf(severities, severity)
  if (wanted === undefined) return unknown('severity', severity, severities.join(', '))
  const shown = state === '' ? 'open' : shownStates.find((one) => one === state)
  if (shown === undefined) return unknown('state', state, shownStates.join(', '))
  const reversed = sort.startsWith('-')
  const key = sort === '' ? 'severity' : sortKeys.find((one) => one === sort.slice(reversed ? 1 : 0))
  if (key === undefined) return unknown('sort', sort, `${sortKeys.join(', ')}, or one of them with a leading -`)
  if (show !== '' && show !== more) return unknown('show', show, more)
  return {
    ok: true,
    query: {
      tenant: tenant === '' ? null : tenant,
      find: cut(find),
      severities: wanted.length === severities.length ? null : wanted,
      check: check === '' ? null : cut(check),
      state: shown,
      text: cut(q),
      sort: key,
      reversed,
      long: show === more,
      after: cut(after) || null,
    },
  }
}

const more = 'more'

function unknown(what: string, given: string, known: string): Parsed<PageQuery> {
  return { ok: false, message: `Unknown ${what} "${cut(given)}": use ${known}` }
}

function cut(text: string): string {
  return text.trim().slice(0, longest).toWellFormed()
}

export function parametersOf(query: PageQuery): readonly (readonly [name: string, value: string])[] {
  const { tenant, find, severities: wanted, check, state, text, sort, reversed, long, after } = query
  const order = `${reversed ? '-' : ''}${sort}`
  const all: readonly (readonly [string, string | null])[] = [
    ['tenant', tenant],
    ['find', find],
    ['severity', wanted?.join(',') ?? null],
    ['check', check],
    ['state', state === 'open' ? null : state],
    ['q', text],
    ['sort', order === 'severity' ? null : order],
    ['show', long ? more : null],
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

export function isFiltered({ severities: wanted, check, state, text }: PageQuery): boolean {
  return wanted !== null || check !== null || state !== 'open' || text !== ''
}

export function runbookHref(alert: string): string {
  return `/runbook?name=${alert}`
}
