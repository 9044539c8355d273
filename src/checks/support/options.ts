import * as z from 'zod'

/** A threshold in days; fractions are allowed. */
export const days = (byDefault: number) => z.number().positive().max(36_500).default(byDefault)

/** A threshold in hours; fractions are allowed. */
export const hours = (byDefault: number) => z.number().positive().max(876_000).default(byDefault)
