import { z } from 'zod'

const requirement = z.strictObject({
  /** The requirement's own name: the entity of its finding, shown to everybody. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'want letters, digits, `.`, `_` and `-`, at most 64'),
  /** File name of what meets it: `*` any run of characters, `?` one; letter case does not matter. */
  pattern: z.string().min(1).max(200),
  /** How long ago, in days, it may have been uploaded or updated; null = any time. */
  maxAgeDays: z.number().positive().max(36_500).nullable().default(null),
})

export type Requirement = z.output<typeof requirement>

/** Documents that must be there, each with a name of its own. */
export const requirements = z
  .array(requirement)
  .max(500)
  .refine(
    (list) => new Set(list.map(({ id }) => id)).size === list.length,
    'want a different `id` for each requirement',
  )
  .default([])
