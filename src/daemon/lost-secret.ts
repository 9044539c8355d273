import { access, constants } from 'node:fs/promises'
import type { TenantSettings } from '../config/settings.ts'

/** True while the file of a tenant's token or client secret is missing: the last good one is used until a restart. */
export async function hasLostSecret({ auth: { token } }: Pick<TenantSettings, 'auth'>): Promise<boolean> {
  const source = 'oauth2' in token ? token.oauth2.clientSecret : token
  if (!('file' in source)) return false
  try {
    await access(source.file, constants.R_OK)
    return false
  } catch {
    return true
  }
}
