import * as z from 'zod'
import type { Catalogue } from '../../src/config/catalogue.ts'

/** A few checks with every kind of option. */
export const fakeCatalogue: Catalogue = {
  checks: [
    {
      id: 'api-client-least-privilege',
      options: z.strictObject({ allow: z.record(z.string(), z.array(z.string())).default({}) }),
    },
    {
      id: 'document-required-present',
      options: z.strictObject({
        requirements: z.array(z.strictObject({ name: z.string(), maxAgeDays: z.number().int().min(1) })).default([]),
      }),
    },
    {
      id: 'user-invitation-accepted',
      options: z
        .strictObject({
          mediumDays: z.number().int().min(1).max(3650).default(14),
          highDays: z.number().int().min(1).max(3650).default(30),
        })
        .refine(({ mediumDays, highDays }) => mediumDays < highDays, 'Expected mediumDays below highDays'),
    },
    {
      id: 'user-mfa-enrolled',
      options: z.strictObject({ enrolledWhen: z.enum(['status', 'action', 'both']).default('status') }),
    },
  ],
}
