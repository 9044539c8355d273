import type { Clock } from '../../model/clock.ts'
import { SyncError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { mostSecretBytes, readRegularFile, regularFileVersion } from '../../model/process/regular-file.ts'
import type { AuthOptions, EnvLookup, OAuth2Origin, SecretOrigin } from '../options.ts'
import { parseTokenUrl } from '../transport/base-url.ts'
import { codeOrNameOf } from '../transport/outcome.ts'
import type { Send, TokenRequest } from '../transport/send.ts'
import { commandSource } from './command-source.ts'
import { oauth2Source } from './oauth2-source.ts'
import { parseSecret, type Secret, type SecretSource } from './secret.ts'

export interface SourceParts {
  readonly clock: Clock
  readonly log: Log
  readonly env: EnvLookup
  readonly cycleMs: number
  readonly allowInsecureHttp: boolean
  readonly send: Send<TokenRequest>
}

export function createSource(token: AuthOptions['token'], parts: SourceParts): SecretSource {
  return 'oauth2' in token ? createOAuth2(token.oauth2, parts) : createPlain(token, parts)
}

/** A secret from a variable, file or command. @param parts `lifeMs`: life of a command's output; default a cycle. */
export function createPlain(
  origin: SecretOrigin,
  parts: Pick<SourceParts, 'clock' | 'cycleMs' | 'env' | 'log'> & { readonly lifeMs?: number },
): SecretSource {
  if ('env' in origin) return envSource(origin.env, parts.env)
  if ('file' in origin) return fileSource(origin.file, parts.log)
  return commandSource(origin.command, parts.clock, parts.cycleMs, parts.lifeMs)
}

function createOAuth2(origin: OAuth2Origin, parts: SourceParts): SecretSource {
  const tokenUrl = parseTokenUrl(origin.tokenUrl, parts.allowInsecureHttp)
  return oauth2Source({
    clientId: origin.clientId,
    clientSecret: createPlain(origin.clientSecret, parts),
    scope: origin.scope,
    clock: parts.clock,
    cycleMs: parts.cycleMs,
    post: (form, signal) => parts.send({ tokenUrl, form, signal }),
  })
}

export function envSource(name: string, lookup: EnvLookup): SecretSource {
  async function current(): Promise<Secret> {
    const text = lookup(name)
    if (text === undefined) {
      throw new SyncError('unauthorized', `Environment variable ${name} is not set`, { hint: `Set ${name}` })
    }
    return parseSecret(text, `Environment variable ${name}`)
  }
  return { client: null, current, renew: current, dispose() {} }
}

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
    renew: () => read(true),
    dispose() {},
  }
}

function unreadable(path: string, why: string): SyncError {
  return new SyncError('unauthorized', `File ${path} cannot be read: ${why}`, {
    hint: 'Check that the file exists and that the daemon may read it',
  })
}
