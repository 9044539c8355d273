export const resourceNames = [
  'api-clients',
  'authentication-settings',
  'documents',
  'permissions',
  'roles',
  'users',
] as const

export type ResourceName = (typeof resourceNames)[number]

export const syncModes = ['incremental', 'full'] as const

/** `incremental` continues from the stored cursor, `full` reads the list from its beginning. */
export type SyncMode = (typeof syncModes)[number]
