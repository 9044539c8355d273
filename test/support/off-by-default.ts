import { checks } from '../../src/checks/index.ts'

/** Checks that the default configuration leaves not applicable: required documents need a list, others say so. */
export const offByDefault: readonly string[] = checks
  .filter(
    ({ id, description }) => id === 'document-required-present' || description.includes('the check does not apply'),
  )
  .map(({ id }) => id)
