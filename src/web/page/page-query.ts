import { type Severity, severities } from '../../model/severity.ts'

export const shownStates = ['open', 'waived', 'all'] as const
export const sortKeys = ['severity', 'entity', 'check', 'age'] as const
export type SortKey = (typeof sortKeys)[number]

/** The parameters of the page. */
export const pageParameters = ['tenant', 'find', 'severity', 'check', 'state', 'q', 'sort', 'show'] as const

const longest = 200

/** The selection shown on the status page; the defaults show everything. */
export interface PageQuery {
  /** Only this tenant. */
  readonly tenant: string | null
  /** Only tenants whose name contains this text, when there are many. */
  readonly find: string
  readonly severities: readonly Severity[] | null
  readonly check: string | null
  readonly state: (typeof shownStates)[number]
  /** Only findings that contain this text. */
  readonly text: string
  readonly sort: SortKey
  /** Reversed order: lowest severity, last in the alphabet or newest first. */
  readonly reversed: boolean
  /** Shows more findings. */
  readonly long: boolean
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
}

export type ParsedPageQuery =
  | { readonly ok: true; readonly query: PageQuery }
  | { readonly ok: false; readonly message: string }

/**
 * Reads `?tenant=…&severity=critical,high&check=…&state=…&q=…&sort=-age`. An empty value counts as absent; an unknown value
 * is an error: a misspelt filter would look like "nothing found".
 */
export function parsePageQuery(parameters: Readonly<Record<string, string>>): ParsedPageQuery {
  const { tenant = '', find = '', severity = '', check = '', state = '', q = '', sort = '', show = '' } = parameters
  const wanted = severity === '' ? [] : severity.split(',')
  const known = severities.filter((one) => wanted.includes(one))
  if (!wanted.every((one) => (severities as readonly string[]).includes(one))) {
    return { ok: false, message: `Unknown severity: use ${severities.join(', ')}` }
  }
  const shown = state === '' ? 'open' : shownStates.find((one) => one === state)
  if (shown === undefined) return { ok: false, message: `Unknown state: use ${shownStates.join(', ')}` }
  const reversed = sort.startsWith('-')
  const key = sort === '' ? 'severity' : sortKeys.find((one) => one === sort.slice(reversed ? 1 : 0))
  if (key === undefined)
    return { ok: false, message: `Unknown sort: use ${sortKeys.join(', ')}, or one of them with a leading -` }
  return {
    ok: true,
    query: {
      tenant: tenant === '' ? null : tenant,
      find: cut(find),
      severities: known.length === 0 || known.length === severities.length ? null : known,
      check: check === '' ? null : cut(check),
      state: shown,
      text: cut(q),
      sort: key,
      reversed,
      long: show === 'more',
    },
  }
}

function cut(text: string): string {
  return text.trim().slice(0, longest).toWellFormed()
}

/** The query as parameters, without defaults. */
export function parametersOf(query: PageQuery): readonly (readonly [name: string, value: string])[] {
  const { tenant, find, severities: wanted, check, state, text, sort, reversed, long } = query
  const order = `${reversed ? '-' : ''}${sort}`
  const all: readonly (readonly [string, string | null])[] = [
    ['tenant', tenant],
    ['find', find],
    ['severity', wanted?.join(',') ?? null],
    ['check', check],
    ['state', state === 'open' ? null : state],
    ['q', text],
    ['sort', order === 'severity' ? null : order],
    ['show', long ? 'more' : null],
  ]
  return all.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value] as const]))
}

/** A link to the page with parts of the query changed. */
export function hrefOf(query: PageQuery, over: Partial<PageQuery>, anchor = ''): string {
  const parameters = new URLSearchParams(parametersOf({ ...query, ...over }).map(([name, value]) => [name, value]))
  return `/${parameters.size === 0 ? '' : `?${parameters}`}${anchor}`
}

/** True when the query selects only some of the findings. */
export function isFiltered({ severities: wanted, check, state, text }: PageQuery): boolean {
  return wanted !== null || check !== null || state !== 'open' || text !== ''
}
