import { createHash } from 'node:crypto'
import { type EnvLookup, envSource } from '../api/credentials/env-source.ts'
import { fileSource } from '../api/credentials/file-source.ts'
import type { AuthSettings, TenantSettings } from '../config/settings.ts'
import { silentLog } from '../model/log.ts'
import { type Diagnosis, warning } from './diagnosis.ts'

/** Two names for what is one tenant, as a copied section leaves behind. Tokens are compared by value, and never told. */
export async function diagnoseTwins(
  tenants: readonly Pick<TenantSettings, 'name' | 'baseUrl' | 'auth'>[],
  env: EnvLookup,
): Promise<readonly Diagnosis[]> {
  const marked = await Promise.all(
    tenants.map(async ({ name, baseUrl, auth }) => ({ name, mark: `${baseUrl} ${await markOf(auth.token, env)}` })),
  )
  return [...Map.groupBy(marked, ({ mark }) => mark).values()].flatMap((same) => {
    if (same.length < 2) return []
    const names = same.map(({ name }) => name).join(', ')
    return [
      warning('tenants', `${names} have one baseUrl and one token`, 'Give each its own token, or keep one of them'),
    ]
  })
}

/** What is equal for equal tokens; where one would have to be fetched, or cannot be read, for equal sources. */
async function markOf(token: AuthSettings['token'], env: EnvLookup): Promise<string> {
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
