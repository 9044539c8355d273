import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { parseSecret } from '../api/credentials/secret.ts'
import type { EnvLookup } from '../api/options.ts'
import { whyUnreadable } from '../config/mistakes.ts'
import type { AuthSettings, TenantSettings } from '../config/settings.ts'
import { describeDuration } from '../model/durations.ts'
import { SyncError } from '../model/errors.ts'
import type { Log } from '../model/log.ts'
import { mostSecretBytes, readRegularFileSync } from '../model/process/files.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

const othersMayRead = 0o004
const groupMayWrite = 0o020
const othersMayWrite = 0o002
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
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) {
      return failure(what, `${origin} does not exist`, 'Create it with the bare secret as content', reason)
    }
    parseSecret(readRegularFileSync(path, mostSecretBytes).toString(), origin)
    return ofMode(path, what, `from ${origin}, written ${describeDuration(now - stats.mtimeMs)} ago`, stats.mode)
  } catch (error) {
    if (error instanceof SyncError) return failure(what, error.message, error.hint ?? null, reason)
    const advice = 'Let the user of the daemon read it, and run the doctor as that user'
    return failure(what, `${origin}: ${whyUnreadable(error)}`, advice, reason)
  }
}

function ofMode(path: string, what: string, sentence: string, mode: number): Diagnosis {
  const writers = writersOf(mode)
  if (writers !== null) {
    return warning(what, `${sentence}; ${writers} may replace it`, `Run "chmod go-w,o-r ${path}"`)
  }
  if ((mode & othersMayRead) === 0) return fine(what, sentence)
  return warning(what, `${sentence}; every user of this machine may read it`, `Run "chmod o-r ${path}"`)
}

/** The users other than the owner who may write a file of this mode; null = none. */
function writersOf(mode: number): string | null {
  if ((mode & othersMayWrite) !== 0) return 'every user of this machine'
  return (mode & groupMayWrite) === 0 ? null : 'every member of its group'
}

/** Warns about each token or client secret file that other users may replace. */
export function warnOfSecretFiles(tenants: readonly Pick<TenantSettings, 'name' | 'auth'>[], log: Log): void {
  for (const { name, auth } of tenants) {
    const source = 'oauth2' in auth.token ? auth.token.oauth2.clientSecret : auth.token
    const writers = 'file' in source ? writersAt(source.file) : null
    if (writers === null || !('file' in source)) continue
    log.warn(
      { tenant: name, file: source.file, writers },
      'Other users may replace the file of a secret: run "chmod go-w" on it',
    )
  }
}

/** Also null for a file that cannot be examined: the sync reports it. */
function writersAt(path: string): string | null {
  try {
    return writersOf(statSync(path).mode)
  } catch {
    return null
  }
}
