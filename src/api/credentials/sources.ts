import { type ChildProcess, spawn } from 'node:child_process'
import type { AuthSettings, SecretOrigin } from '../../config/settings.ts'
import type { Clock } from '../../model/clock.ts'
import { SyncError } from '../../model/errors.ts'
import type { Log } from '../../model/log.ts'
import { endWithProcess } from '../../model/process/end-with-process.ts'
import { mostSecretBytes, readRegularFile, regularFileVersion } from '../../model/process/files.ts'
import { isObject, parseJson } from '../../model/text/json.ts'
import { minuteMs, secondMs } from '../../model/time.ts'
import { waitFor } from '../deadline.ts'
import type { EnvLookup } from '../options.ts'
import { type Answer, codeOrNameOf, type Outcome, refusalOf } from '../transport/outcome.ts'
import type { Send, TokenRequest } from '../transport/send.ts'
import { parseSecret, type Secret, type SecretSource } from './secret.ts'

const timeoutMs = 10_000
const mostBytes = 64 * 1024

/** How long the output of a command that has ended is awaited. */
const lastOutputMs = 500

/** The command's stderr may contain the secret and is not logged. @throws SyncError, without the output. */
function commandOutput(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const [file = '', ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { detached: true, windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] })
    const pieces: Buffer[] = []
    let bytes = 0
    let problem: string | null = null
    const kill = () => {
      killGroup(child)
      // A process that left the group may keep it open.
      child.stdout.destroy()
    }
    const fail = (why: string) => {
      problem ??= why
      kill()
    }
    const late = setTimeout(() => fail(`no result within ${timeoutMs / 1000} s`), timeoutMs)
    signal.addEventListener('abort', kill)
    endWithProcess(child, kill)
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > mostBytes) fail(`more than ${mostBytes / 1024} KiB of output`)
      else pieces.push(piece)
    })
    child.once('error', (error) => {
      problem ??= codeOrNameOf(error)
    })
    child.once('exit', () => setTimeout(() => child.stdout.destroy(), lastOutputMs).unref())
    child.once('close', (code) => {
      clearTimeout(late)
      signal.removeEventListener('abort', kill)
      if (code !== 0) problem ??= code === null ? 'ended by a signal' : `exit code ${code}`
      if (signal.aborted) reject(new SyncError('aborted', 'The token command was ended with the client'))
      else if (problem === null) resolve(Buffer.concat(pieces).toString('utf8'))
      else reject(failure(problem))
    })
  })
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

function failure(why: string): SyncError {
  return new SyncError('unauthorized', `The token command failed: ${why}`, {
    hint: 'Run the configured command by hand as the user of the daemon',
  })
}

export interface SourceOptions {
  readonly clock: Clock
  readonly log: Log
  readonly env: EnvLookup
  /** For how long the output of a command is used, and nothing is fetched after a refusal, in milliseconds. */
  readonly cycleMs: number
}

export interface OAuth2Options extends SourceOptions {
  readonly send: Send<TokenRequest>
}

export function createSource(token: AuthSettings['token'], options: OAuth2Options): SecretSource {
  return 'oauth2' in token ? oauth2Source(token.oauth2, options) : createPlain(token, options)
}

/** A secret from a variable, file or command, whose output is used for a cycle. */
export function createPlain(origin: SecretOrigin, options: SourceOptions): SecretSource {
  if ('env' in origin) return envSource(origin.env, options.env)
  if ('file' in origin) return fileSource(origin.file, options.log)
  return fetchedSource(null, options, async (signal) => {
    const secret = parseSecret(await commandOutput(origin.command, signal), 'The output of the token command')
    return { secret, lifeMs: options.cycleMs }
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
      good = parseSecret((await readRegularFile(path, mostSecretBytes)).toString(), `File ${path}`)
      seen = version
      reported = ''
    } catch (thrown) {
      const error = thrown instanceof SyncError ? thrown : unreadable(path, codeOrNameOf(thrown))
      if (good === undefined) throw error
      if (reported !== version)
        log.warn(
          { file: path, problem: error.message, hint: 'Restore the file: the next start fails without it' },
          'The file of a secret cannot be used; the last good secret stays in use',
        )
      reported = version
    }
    return good
  }

  return { client: null, current: () => read(false), renew: () => read(true), dispose() {} }
}

function unreadable(path: string, why: string): SyncError {
  return new SyncError('unauthorized', `File ${path} cannot be read: ${why}`, {
    hint: 'Check that the file exists and that the daemon may read it',
  })
}

interface FetchedSecret {
  readonly secret: Secret
  readonly lifeMs: number
}

const failureRestMs = 30 * secondMs

/** A secret that is expensive to fetch: shared by all callers, and fetched at a limited rate after failures. */
function fetchedSource(
  client: string | null,
  { clock, cycleMs }: Pick<SourceOptions, 'clock' | 'cycleMs'>,
  fetch: (signal: AbortSignal) => Promise<FetchedSecret>,
): SecretSource {
  const life = new AbortController()
  let good: { readonly secret: Secret; readonly until: number } | undefined
  let failed: { readonly error: unknown; readonly until: number } | undefined
  let running: Promise<Secret> | undefined

  async function fetchNow(): Promise<Secret> {
    try {
      const { secret, lifeMs } = await fetch(life.signal)
      good = { secret, until: clock.monotonic() + lifeMs }
      failed = undefined
      return secret
    } catch (error) {
      failed = { error, until: clock.monotonic() + restMs(error) }
      throw error
    } finally {
      running = undefined
    }
  }

  /** Delay after a failed fetch. The gate applies a stated wait; a refusal lasts for a cycle. */
  function restMs(error: unknown): number {
    if (!(error instanceof SyncError)) return failureRestMs
    if (error.retryAt !== undefined) return 0
    return error.reason === 'unauthorized' ? Math.max(cycleMs, failureRestMs) : failureRestMs
  }

  const rests = () => failed !== undefined && clock.monotonic() < failed.until

  function fetchOnce(signal?: AbortSignal): Promise<Secret> {
    running ??= fetchNow()
    return waitFor(running, signal)
  }

  return {
    client,
    async current(signal) {
      if (good !== undefined && clock.monotonic() < good.until) return good.secret
      if (running === undefined && rests()) throw failed?.error
      return fetchOnce(signal)
    },
    async renew(used, signal) {
      if (good !== undefined && !good.secret.equals(used)) return good.secret
      return running === undefined && rests() ? used : fetchOnce(signal)
    },
    dispose: () => life.abort(),
  }
}

/** A token by the OAuth 2.0 client-credentials grant (RFC 6749, section 4.4), used for 90% of `expires_in`. */
function oauth2Source(
  {
    clientId,
    scope,
    parameters,
    clientAuth,
    tokenUrl,
    clientSecret: origin,
  }: Extract<AuthSettings['token'], { readonly oauth2: unknown }>['oauth2'],
  options: OAuth2Options,
): SecretSource {
  const clientSecret = createPlain(origin, options)
  return fetchedSource(clientId, options, async (signal) => {
    const secret = (await clientSecret.current(signal)).expose()
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...parameters })
    if (scope !== null) form.set('scope', scope)
    if (clientAuth === 'basic') return readTokenAnswer(await options.send({ tokenUrl, form, secret, clientId, signal }))
    form.set('client_id', clientId)
    form.set('client_secret', secret)
    return readTokenAnswer(await options.send({ tokenUrl, form, secret, signal }))
  })
}

const hint = 'Check auth.token.oauth2: tokenUrl, clientId, clientSecret, scope, parameters and clientAuth'

const defaultLifeMs = 5 * minuteMs

function readTokenAnswer(outcome: Outcome): FetchedSecret {
  if (outcome.kind === 'failure') throw outcome.error
  const { status } = outcome
  const facts = factsOf(outcome.body?.toString() ?? '')
  if (status !== 200) throw refusal(outcome, facts['error'])
  const token = facts['access_token']
  if (typeof token !== 'string') {
    throw new SyncError('unauthorized', 'The token URL answered without an access_token', { hint, status })
  }
  return { secret: parseSecret(token, 'The access_token of the token URL'), lifeMs: lifeOf(facts['expires_in']) }
}

/** Some servers answer as a form. */
function factsOf(text: string): Readonly<Record<string, unknown>> {
  const body = parseJson(text)
  return isObject(body) ? body : Object.fromEntries(new URLSearchParams(text.trim()))
}

function refusal(answer: Answer, code: unknown): SyncError {
  const { status } = answer
  const named = typeof code === 'string' && /^[a-z_]{3,40}$/.test(code) ? ` ${code}` : ''
  const message = `The token URL answered ${status}${named}`
  const { reason, retryAt } = refusalOf(answer)
  if (['rate_limited', 'server_error', 'timeout'].includes(reason))
    return new SyncError(reason, message, { status, retryAt })
  return new SyncError(reason === 'redirect' ? reason : 'unauthorized', message, { hint, status })
}

/** In milliseconds: 90% of the stated seconds, at least one second. */
function lifeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && /^\d{1,10}$/.test(expiresIn) ? Number(expiresIn) : expiresIn
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return defaultLifeMs
  return Math.max(seconds * 0.9, 1) * secondMs
}
