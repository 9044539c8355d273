import { renderSettings } from '../server/render.ts'
import type { Endpoint } from './endpoint.ts'
import { single } from './endpoint.ts'

/** "Get authentication settings": 200 also without SSO, with all flags false and both names null. */
export const getAuthenticationSettings: Endpoint = {
  method: 'GET',
  template: '/api/public/authentication-settings',
  permission: 'Api_AuthSettings_Read',
  handle: ({ tenant, style }) => single(renderSettings(tenant.settings, style)),
}
