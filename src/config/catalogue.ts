import type * as z from 'zod'
import { advice } from './mistakes.ts'
import { idPattern } from './own-checks.ts'
import { textThat } from './values.ts'

/** The schema must accept an empty object and its own output, so that a printed configuration can be loaded again. */
export interface CheckDefaults {
  readonly id: string
  readonly options: z.ZodObject
}

/** The checks that a configuration may name. */
export interface Catalogue {
  readonly checks: readonly CheckDefaults[]
  /** True when own checks could not be read, so that an unknown check id may be valid. */
  readonly incomplete?: boolean
}

/** The id of a check that there is, or may be while own checks could not be read. */
export function checkId({ checks, incomplete }: Catalogue) {
  const ids = checks.map(({ id }) => id)
  return textThat('the id of a check', (id) =>
    ids.includes(id) || (incomplete && idPattern.test(id)) ? null : `there is no such check; ${advice(id, ids)}`,
  )
}
