import { renderSettings } from '../server/render.ts'
import { type Endpoint, single } from './endpoint.ts'
import type { SimulatedResource } from './resource.ts'

/** "Get authentication settings": 200 also without SSO, with all flags false and both names null. */
const getAuthenticationSettings: Endpoint = {
  method: 'GET',
  template: '/api/public/authentication-settings',
  permission: 'Api_AuthSettings_Read',
  handle: ({ tenant, style }) => single(renderSettings(tenant.settings, style)),
}

export const authenticationSettings = {
  name: 'authentication-settings',
  endpoints: [getAuthenticationSettings],
  records: (state) => [state.authenticationSettings()],
  operations: (control) => ({ update: (_id, fields) => control.setSettings(fields) }),
} as const satisfies SimulatedResource
