import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { parseSecret } from '../api/credentials/secret.ts'
import type { EnvLookup } from '../api/options.ts'
import { whyUnreadable } from '../config/mistakes.ts'
import type { AuthSettings } from '../config/settings.ts'
import { describeDuration } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import { isOfAll, mostSecretBytes, readRegularFileSync } from '../model/process/files.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

const subject = 'token'

/** Never contains the token. `now` and `goodForMs` in milliseconds; `goodForMs` is null if no token was fetched. */
export function diagnoseToken(
  { token }: AuthSettings,
  now: number,
  goodForMs: number | null,
  env: EnvLookup,
): readonly Diagnosis[] {
  if ('env' in token) return [ofVariable(token.env, subject, env)]
  if ('file' in token) return [ofFile(token.file, subject, now)]
  const good =
    goodForMs === null ? 'could not be fetched' : `fetched now, to be used for ${describeDuration(goodForMs)}`
  if ('command' in token) return [ofFetched(`from the command ${basename(token.command[0] ?? '')}, ${good}`, goodForMs)]
  const { tokenUrl, clientSecret } = token.oauth2
  const secret =
    'env' in clientSecret
      ? ofVariable(clientSecret.env, 'client secret', env)
      : ofFile(clientSecret.file, 'client secret', now)
  return [ofFetched(`by OAuth 2 from ${new URL(tokenUrl).origin}, ${good}`, goodForMs), secret]
}

function ofVariable(name: string, what: string, env: EnvLookup): Diagnosis {
  try {
    parseSecret(env(name) ?? '', `the variable ${name}`)
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    return failure(what, error.message, error.hint ?? null, { reason: 'unauthorized' })
  }
  return fine(what, `from the variable ${name}; its age is unknown, and a new value takes a restart`)
}

function ofFetched(sentence: string, goodForMs: number | null): Diagnosis {
  return goodForMs === null
    ? failure(subject, sentence, 'See the results of the endpoints', { reason: 'unauthorized' })
    : fine(subject, sentence)
}

function ofFile(path: string, what: string, now: number): Diagnosis {
  const origin = `the file ${path}`
  const reason = { reason: 'unauthorized' } as const
  try {
    const stats = statSync(path)
    parseSecret(readRegularFileSync(path, mostSecretBytes).toString(), origin)
    const sentence = `from ${origin}, written ${describeDuration(now - stats.mtimeMs)} ago`
    if (!isOfAll(stats.mode)) return fine(what, sentence)
    return warning(what, `${sentence}; every user of this machine may read or replace it`, `Run "chmod o-rw ${path}"`)
  } catch (error) {
    if (error instanceof SyncError) return failure(what, error.message, error.hint ?? null, reason)
    const advice = 'Let the user of the daemon read it, and run the doctor as that user'
    return failure(what, `${origin}: ${whyUnreadable(error)}`, advice, reason)
  }
}
