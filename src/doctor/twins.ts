import { createHash } from 'node:crypto'
import { envSource } from '../api/credentials/create-source.ts'
import { fileSource } from '../api/credentials/file-source.ts'
import type { EnvLookup } from '../api/options.ts'
import type { AuthSettings, TenantSettings } from '../config/settings.ts'
import { silentLog } from '../model/log.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

/** Warns about tenants with the same URL and token, as after copying a section. Token values are not shown. */
export async function diagnoseTwins(
  tenants: readonly Pick<TenantSettings, 'name' | 'baseUrl' | 'auth'>[],
  env: EnvLookup,
): Promise<readonly Diagnosis[]> {
  const keyed = await Promise.all(
    tenants.map(async ({ name, baseUrl, auth }) => ({ name, key: `${baseUrl} ${await keyOf(auth.token, env)}` })),
  )
  return [...Map.groupBy(keyed, ({ key }) => key).values()].flatMap((same) => {
    if (same.length < 2) return []
    const names = same.map(({ name }) => name).join(', ')
    return [
      warning('tenants', `${names} have one baseUrl and one token`, 'Give each its own token, or keep one of them'),
    ]
  })
}

/** A key that is equal for equal tokens, or for equal sources when the token is fetched or cannot be read. */
async function keyOf(token: AuthSettings['token'], env: EnvLookup): Promise<string> {
  if ('oauth2' in token) return JSON.stringify({ ...token.oauth2, clientSecret: null })
  if ('command' in token) return JSON.stringify(token)
  const source = 'env' in token ? envSource(token.env, env) : fileSource(token.file, silentLog())
  try {
    const secret = await source.current()
    return createHash('sha256').update(secret.expose()).digest('hex')
  } catch {
    return JSON.stringify(token)
  }
}
