export const checkStatuses = ['fail', 'not_applicable', 'pass', 'unknown'] as const

export type CheckStatus = (typeof checkStatuses)[number]

export const resolutions = [
  'fixed',
  'clock_corrected',
  'entity_removed',
  'not_applicable',
  'rule_changed',
  'check_disabled',
  'tenant_removed',
] as const

export type Resolution = (typeof resolutions)[number]
