import { checks } from '../../src/checks/index.ts'

/** Checks that do not apply before something is configured for them. */
export const offByDefault: readonly string[] = checks
  .filter(({ isConfigured, options }) => isConfigured?.(options.parse({})) === false)
  .map(({ id }) => id)
