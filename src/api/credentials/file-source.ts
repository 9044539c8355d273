import { SyncError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { mostSecretBytes, readRegularFile, regularFileVersion } from '../../model/process/regular-file.ts'
import { codeOrNameOf } from '../transport/outcome.ts'
import { parseSecret, type Secret, type SecretSource } from './secret.ts'

/** A secret in a file, read after each change. While the file is unusable, the last good secret stays in use. */
export function fileSource(path: string, log: Log): SecretSource {
  let good: Secret | undefined
  let seen = ''
  let reported = ''

  async function read(fresh: boolean): Promise<Secret> {
    let version = 'unreadable'
    try {
      version = await regularFileVersion(path, mostSecretBytes)
      if (!fresh && good !== undefined && version === seen) return good
      const text = (await readRegularFile(path, mostSecretBytes)).toString()
      const secret = parseSecret(text, `File ${path}`)
      good = secret
      seen = version
      reported = ''
      return secret
    } catch (thrown) {
      const error = thrown instanceof SyncError ? thrown : unreadable(path, codeOrNameOf(thrown))
      if (good === undefined) throw error
      if (reported !== version)
        log.warn(
          { file: path, problem: error.message, hint: 'Restore the file: the next start fails without it' },
          'The file of a secret cannot be used; the last good secret stays in use',
        )
      reported = version
      return good
    }
  }

  return {
    client: null,
    current: () => read(false),
    peek: () => read(false),
    renew: () => read(true),
    dispose() {},
  }
}

function unreadable(path: string, why: string): SyncError {
  return new SyncError('unauthorized', `File ${path} cannot be read: ${why}`, {
    hint: 'Check that the file exists and that the daemon may read it',
  })
}
