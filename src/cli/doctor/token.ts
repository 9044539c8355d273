import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { AuthSettings } from '../../config/settings.ts'
import { describeDuration } from '../../model/durations.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'

const othersMayRead = 0o004
const subject = 'token'

/**
 * Where the token comes from and how old it is; never the token itself.
 *
 * @param now wall time in milliseconds since the epoch.
 * @param goodForMs for how long a fetched token is used yet; null where none was fetched.
 */
export function judgeToken({ token }: AuthSettings, now: number, goodForMs: number | null): readonly Diagnosis[] {
  if ('env' in token) return [ofVariable(token.env, subject)]
  if ('file' in token) return [ofFile(token.file, subject, now)]
  const good = goodForMs === null ? 'could not be fetched' : `fetched now, used for ${describeDuration(goodForMs)}`
  if ('command' in token) return [ofFetched(`from the command ${basename(token.command[0] ?? '')}, ${good}`, goodForMs)]
  const { tokenUrl, clientSecret } = token.oauth2
  const secret =
    'env' in clientSecret
      ? ofVariable(clientSecret.env, 'client secret')
      : ofFile(clientSecret.file, 'client secret', now)
  return [ofFetched(`by OAuth 2 from ${new URL(tokenUrl).origin}, ${good}`, goodForMs), secret]
}

function ofVariable(name: string, what: string): Diagnosis {
  return fine(what, `from the variable ${name}; its age is not known, and another value takes a restart`)
}

function ofFetched(sentence: string, goodForMs: number | null): Diagnosis {
  return goodForMs === null
    ? failure(subject, sentence, 'See what the endpoints say', { reason: 'unauthorized' })
    : fine(subject, sentence)
}

function ofFile(path: string, what: string, now: number): Diagnosis {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) {
    return failure(what, `the file ${path} is not there`, 'Put the bare secret there', { reason: 'unauthorized' })
  }
  const sentence = `from the file ${path}, written ${describeDuration(now - stats.mtimeMs)} ago`
  if ((stats.mode & othersMayRead) === 0) return fine(what, sentence)
  return warning(what, `${sentence}; every user of this machine may read it`, `Run "chmod o-r ${path}"`)
}
