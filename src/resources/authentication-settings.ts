import type { WholeResource } from '../sync/resource.ts'

/** Specification: Get authentication settings. One object a tenant. */
export const authenticationSettings = {
  name: 'authentication-settings',
  nouns: ['authentication settings', 'authentication settings'],
  kind: 'whole',
  permission: 'Api_AuthSettings_Read',
  endpoints: ['/api/public/authentication-settings'],
  schedule: { full: '*/5 * * * *' },
  idField: null,
  async fetch(reader, signal) {
    const { item, meta } = await reader.getAuthenticationSettings(signal)
    return { items: [item], nextCursor: null, hasMore: false, meta }
  },
} as const satisfies WholeResource
