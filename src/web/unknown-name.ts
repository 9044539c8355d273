import { nearest } from '../config/yaml/nearest.ts'
import type { KnownNames } from './web-options.ts'

/** Names listed in a message: there may be a thousand tenants. */
const maxNames = 40

export interface NamesInQuery {
  readonly tenant?: string | null | undefined
  readonly check?: string | null | undefined
}

/** The error for a tenant or check that does not exist, which would look like "nothing found"; null when both exist. */
export function unknownName(
  { tenant, check }: NamesInQuery,
  known: KnownNames,
): { readonly status: 400 | 404; readonly message: string } | null {
  if (tenant != null && !known.tenants.includes(tenant))
    return { status: 404, message: sentence('tenant', tenant, known.tenants) }
  if (check != null && !known.checks.includes(check))
    return { status: 400, message: sentence('check', check, known.checks) }
  return null
}

function sentence(what: string, given: string, names: readonly string[]): string {
  const meant = nearest(given.slice(0, 200), names)
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return `Unknown ${what}: use ${names.slice(0, maxNames).join(', ')}${more}${hint}`
}
