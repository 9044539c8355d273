import { z } from 'zod'
import type { OAuth2Settings } from '../settings.ts'
import type { Context } from '../yaml/context.ts'
import type { KeyPath } from '../yaml/key-path.ts'
import { text } from '../yaml/leaves.ts'
import { isMap, readSection } from '../yaml/section.ts'
import { checkOneSource, checkSecret, secretFields } from './secret.ts'
import { tokenUrl } from './urls.ts'

const fields = {
  tokenUrl: tokenUrl(),
  clientId: text('want the id of the OAuth 2 client'),
  clientSecret: z.unknown(),
  scope: text('want the scopes to ask for').nullish(),
}

/** Reads `oauth2`; undefined, with a reported problem, when a part is missing or wrong. */
export function readOAuth2(raw: unknown, path: KeyPath, context: Context): OAuth2Settings | undefined {
  const section = readSection(fields, raw, path, context.report)
  const clientSecret = readClientSecret(section.clientSecret, [...path, 'clientSecret'], context)
  const { tokenUrl, clientId, scope = null } = section
  if (tokenUrl === undefined || clientId === undefined || clientSecret === undefined) return undefined
  return { tokenUrl, clientId, clientSecret, scope }
}

function readClientSecret(raw: unknown, path: KeyPath, context: Context): OAuth2Settings['clientSecret'] | undefined {
  if (!isMap(raw)) {
    context.report.wrongKind(path, raw, 'want { env: NAME } or { file: PATH }; the secret itself does not belong here')
    return undefined
  }
  const section = readSection(secretFields, raw, path, context.report)
  if (!checkOneSource(raw, ['env', 'file'], path, context)) return undefined
  checkSecret(section, path, context)
  const { env, file } = section
  if (env !== undefined) return { env }
  return file === undefined ? undefined : { file }
}
