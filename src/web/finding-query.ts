import type { FindingView } from '../model/finding.ts'
import { severities } from '../model/severity.ts'
import type { FindingQuery } from './web-options.ts'

const states = ['open', 'waived', 'resolved'] as const satisfies readonly FindingView['state'][]
/** The parameters of `/api/v1/findings`. */
export const findingParameters = ['tenant', 'check', 'severity', 'state'] as const

export type ParsedQuery =
  | { readonly ok: true; readonly query: FindingQuery }
  | { readonly ok: false; readonly message: string }

/**
 * Reads the query of `/api/v1/findings`. `severity` and `state` take several values separated by commas; `state` defaults
 * to `open` and accepts `all`. An unknown value is an error: a misspelt filter would look like "nothing found".
 */
export function parseFindingQuery(parameters: Readonly<Record<string, string>>): ParsedQuery {
  const { tenant, check, severity, state = 'open' } = parameters
  const wantedSeverities = severity === undefined ? severities : oneOf(severities, severity)
  if (wantedSeverities === undefined)
    return { ok: false, message: `Unknown severity ${severity}: use ${severities.join(', ')}` }
  const wanted = state === 'all' ? states : oneOf(states, state)
  if (wanted === undefined) return { ok: false, message: `Unknown state ${state}: use ${states.join(', ')} or all` }
  return {
    ok: true,
    query: {
      ...(tenant === undefined ? {} : { tenant }),
      ...(check === undefined ? {} : { check }),
      ...(severity === undefined ? {} : { severities: wantedSeverities }),
      states: wanted,
    },
  }
}

function oneOf<T extends string>(known: readonly T[], text: string): readonly T[] | undefined {
  const parts = text.split(',')
  const found = known.filter((value) => parts.includes(value))
  return parts.every((part) => (known as readonly string[]).includes(part)) ? found : undefined
}
