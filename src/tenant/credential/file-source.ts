import { readFile, stat } from 'node:fs/promises'
import { SyncError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { codeOf } from '../code-of.ts'
import { parseSecret } from './parse-secret.ts'
import type { Secret } from './secret.ts'
import type { SecretSource } from './secret-source.ts'

const maxBytes = 64 * 1024

/**
 * A secret in a file, read again whenever the file changed. While the file is half-written, empty or away, the last good
 * secret stays in force; a file that was never good is an error.
 */
export function fileSource(path: string, log: Log): SecretSource {
  let good: Secret | undefined
  let seen = ''
  let doubted = ''

  async function read(fresh: boolean): Promise<Secret> {
    let version = 'unreadable'
    try {
      version = await versionOf(path)
      if (!fresh && good !== undefined && version === seen) return good
      const secret = parseSecret(await readFile(path, 'utf8'), `File ${path}`)
      good = secret
      seen = version
      doubted = ''
      return secret
    } catch (thrown) {
      const error = thrown instanceof SyncError ? thrown : unreadable(path, codeOf(thrown))
      if (good === undefined) throw error
      if (doubted !== version)
        log.warn({ file: path, problem: error.message }, 'secret file is not usable, keeping the last')
      doubted = version
      return good
    }
  }

  return {
    renewsIdentity: false,
    current: () => read(false),
    glance: () => read(false),
    renew: () => read(true),
    dispose() {},
  }
}

async function versionOf(path: string): Promise<string> {
  const facts = await stat(path, { bigint: true })
  if (!facts.isFile()) throw unreadable(path, 'not a regular file')
  if (facts.size > maxBytes) throw unreadable(path, `larger than ${maxBytes} bytes`)
  return `${facts.dev}:${facts.ino}:${facts.size}:${facts.mtimeNs}:${facts.ctimeNs}`
}

function unreadable(path: string, why: string): SyncError {
  return new SyncError('unauthorized', `File ${path} cannot be read: ${why}`, {
    hint: 'Check that the file exists and that the daemon may read it',
  })
}
