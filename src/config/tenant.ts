import * as z from 'zod'
import { isGuid } from '../model/guid.ts'
import { readAuth } from './auth.ts'
import { effective, type Overridable, readOverridable } from './overridable.ts'
import { readSchedule } from './schedule.ts'
import type { AuthSettings, TenantSettings } from './settings.ts'
import { baseUrl, insecurity } from './urls.ts'
import type { Context } from './yaml/context.ts'
import { text, textAs } from './yaml/leaves.ts'
import type { KeyPath } from './yaml/report.ts'
import { isMapOrEmpty, readSection } from './yaml/section.ts'

const fields = {
  name: text('expected a name of a-z, 0-9 and "-", at most 63 characters', /^[a-z0-9-]{1,63}$/),
  baseUrl: baseUrl(),
  auth: z.unknown(),
  ownClientId: clientId().nullish(),
  api: z.unknown(),
  schedule: z.unknown(),
  freshness: z.unknown(),
  checks: z.unknown(),
  resources: z.unknown(),
}

const overridable = ['api', 'schedule', 'freshness', 'checks', 'resources'] as const

type InForce = Pick<TenantSettings, (typeof overridable)[number] & keyof TenantSettings>

export interface Common {
  readonly general: Overridable
  /** The general settings, shared by tenants that override none of them. */
  readonly inForce: InForce
  readonly limits: Pick<TenantSettings, 'users' | 'userDetails' | 'documents' | 'removals'>
}

export function readTenant(
  raw: unknown,
  path: KeyPath,
  { general, inForce: shared, limits }: Common,
  context: Context,
): TenantSettings | undefined {
  const section = readSection(fields, raw, path, context.report)
  if (!isMapOrEmpty(raw)) return undefined
  const { name, baseUrl, ownClientId = null } = section
  const auth = readAuth(section.auth, [...path, 'auth'], context)
  const inForce = overridable.every((key) => section[key] === undefined) ? shared : overridden()
  if (baseUrl !== undefined) checkSecure(baseUrl, [...path, 'baseUrl'], inForce.api.allowInsecureHttp, context)
  if (auth !== undefined) checkTokenUrl(auth, path, inForce.api.allowInsecureHttp, context)
  if (name === undefined || baseUrl === undefined || auth === undefined) return undefined
  return { name, baseUrl, auth, ownClientId, ...inForce, ...limits }

  function overridden(): InForce {
    const schedule = readSchedule(section.schedule, [...path, 'schedule'], context)
    return effective(general, readOverridable(section, path, schedule, context), context)
  }
}

function checkTokenUrl({ token }: AuthSettings, path: KeyPath, allowed: boolean, context: Context): void {
  if (!('oauth2' in token)) return
  checkSecure(token.oauth2.tokenUrl, [...path, 'auth', 'token', 'oauth2', 'tokenUrl'], allowed, context)
}

function checkSecure(url: string, path: KeyPath, allowed: boolean, { report }: Context): void {
  const problem = insecurity(url, allowed)
  if (problem !== undefined) report.wrong(path, url, problem)
}

/** Lower-cased, because the API does not define the case of GUIDs. */
function clientId() {
  const wanted = 'expected the clientId of an API client, such as 00000000-0000-0000-0000-000000000000'
  return textAs(wanted, (value) => (isGuid(value) ? { value: value.toLowerCase() } : { problem: wanted }))
}
