/** The resources of a tenant that are mirrored, in alphabetical order. */
export const resourceNames = [
  'api-clients',
  'authentication-settings',
  'documents',
  'permissions',
  'roles',
  'users',
] as const

export type ResourceName = (typeof resourceNames)[number]

export const syncModes = ['poll', 'sweep'] as const

/** `poll` continues from the stored cursor, `sweep` walks the feed from its beginning. */
export type SyncMode = (typeof syncModes)[number]
