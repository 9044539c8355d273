import { SyncError } from '../../model/errors.ts'
import { Secret } from './secret.ts'

const maxLength = 16_384

/** Trims a secret; throws SyncError `unauthorized` unless it is one word of visible ASCII, as a header can carry it. */
export function parseSecret(text: string, origin: string): Secret {
  const trimmed = text.trim()
  if (trimmed === '') throw refused(`${origin} is empty`)
  if (trimmed.length > maxLength) throw refused(`${origin} is longer than ${maxLength} characters`)
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw refused(`${origin} contains a space, a control character or a character beyond ASCII`)
  }
  return new Secret(trimmed)
}

function refused(message: string): SyncError {
  return new SyncError('unauthorized', message, {
    hint: 'Store the bare secret there, without a header name or quotes',
  })
}
