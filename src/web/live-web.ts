import { haveChanged } from '../config/web/file-versions.ts'
import { loadWebSettings, readWebSettings, type WebReading } from '../config/web/load-web-settings.ts'
import { isProtected, openWeb, type WebSettings } from '../config/web/web-settings.ts'
import { ConfigError } from '../config/yaml/config-error.ts'
import type { Log } from '../model/log.ts'
import { isLoopback } from './loopback.ts'

export interface LiveWebOptions {
  /** Working directory that the path of the file starts from. */
  readonly cwd: string
  /** The address that is served, for what is worth a warning on it. */
  readonly host: string
  readonly log: Log
  /** Told whenever the file, or one that it names, was read again. */
  readonly onReading: (successful: boolean) => void
}

const openAddress = 'Status page and metrics are open to everybody who reaches this address: no users are configured'

/** A web configuration that may come into force at once. */
export interface Candidate extends WebReading {
  readonly path: string | null
}

/**
 * The web configuration in force. Its files are looked at whenever somebody asks, so that a change counts for the next
 * handshake and the next request; one that is broken leaves the last good one in force.
 */
export class LiveWeb {
  readonly #options: LiveWebOptions
  #path: string | null
  #settings: WebSettings
  #versions: WebReading['versions']
  readonly #said = new Set<string>()
  #isChanging = false

  /** @throws ConfigError that names every problem of the file. */
  constructor(path: string | null, options: LiveWebOptions) {
    const first = load(path, options.cwd)
    this.#options = options
    this.#path = path
    this.#settings = first.settings
    this.#versions = first.versions
    this.#comment()
  }

  /** What is in force now. */
  settings(): WebSettings {
    const path = this.#path
    if (path === null || this.#isChanging || !haveChanged(this.#versions)) return this.#settings
    const { log, cwd, onReading } = this.#options
    const reading = readWebSettings(path, cwd)
    // Also of a broken one: it is read again when a file changes that it names, and not before.
    this.#versions = reading.versions
    const problems = [...reading.problems, ...(reading.problems.length === 0 ? this.#needsRestart(reading) : [])]
    if (problems.length > 0) log.warn({ problems }, 'The web configuration cannot be used; the last good one stays')
    else {
      this.#settings = reading.settings
      log.info({ file: path }, 'Web configuration read again')
      this.#comment()
    }
    onReading(problems.length === 0)
    return this.#settings
  }

  /**
   * Reads a file that is to come into force; nothing changes yet, and nothing by itself until `release`: what is evaluated
   * here against the settings of now must not open others.
   *
   * @throws ConfigError when it cannot be used, or not without a restart.
   */
  candidate(path: string | null): Candidate {
    const reading = load(path, this.#options.cwd)
    const problems = this.#needsRestart(reading)
    if (problems.length > 0) throw new ConfigError(problems)
    this.#isChanging = true
    return { ...reading, path }
  }

  /** Ends what `candidate` began, whether it came into force or not. */
  release(): void {
    this.#isChanging = false
  }

  /** Puts a candidate into force. */
  use({ path, settings, versions }: Candidate): void {
    this.#path = path
    this.#settings = settings
    this.#versions = versions
    this.#comment()
  }

  /** What a running server does not do: above all it does not open by itself what was closed. */
  #needsRestart({ settings: next }: WebReading): string[] {
    const now = this.#settings
    const problems: string[] = []
    if ((now.tls === null) !== (next.tls === null)) {
      problems.push(`\`tls_server_config\` turns TLS ${next.tls === null ? 'off' : 'on'}, which takes a restart`)
    }
    if (isProtected(now) && !isProtected(next)) {
      problems.push('nobody would have to prove who they are any more, which takes a restart')
    }
    return problems
  }

  /** What is worth a word about the settings, once each. */
  #comment(): void {
    const { log, host } = this.#options
    const { tls, users, wantsHttp2 } = this.#settings
    const once = (applies: boolean, message: string, say: Log['info']) => {
      if (!applies || this.#said.has(message)) return
      this.#said.add(message)
      say({ host }, message)
    }
    const isNaked = users.size > 0 && tls === null && !isLoopback(host)
    once(!isLoopback(host) && !isProtected(this.#settings), openAddress, log.warn)
    once(isNaked, 'Passwords travel unencrypted: there are users, but no TLS', log.warn)
    once(wantsHttp2, 'HTTP/2 is not supported; clients are served over HTTP/1.1', log.info)
  }
}

function load(path: string | null, cwd: string): WebReading {
  return path === null ? { settings: openWeb, problems: [], versions: new Map() } : loadWebSettings(path, cwd)
}
