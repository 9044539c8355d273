import { haveChanged, loadWebSettings, readWebSettings, type WebReading } from '../config/web/load-web-settings.ts'
import { isProtected, openWeb, type WebSettings } from '../config/web/web-settings.ts'
import { ConfigError } from '../config/yaml/errors.ts'
import type { Log } from '../model/log.ts'
import { isLoopback } from '../model/process/loopback.ts'

export interface LiveWebOptions {
  readonly cwd: string
  readonly host: string
  readonly log: Log
  /** Called after each time the file and the files that it names were read. */
  readonly onReading: (successful: boolean) => void
}

const openAddress = 'Status page and metrics are open to everybody who can reach this address: no users are configured'

export interface Candidate extends WebReading {
  readonly path: string | null
}

/** The current web configuration. Files are checked at each handshake and request; a valid change applies. */
export class LiveWeb {
  readonly #options: LiveWebOptions
  #path: string | null
  #settings: WebSettings
  #versions: WebReading['versions']
  readonly #logged = new Set<string>()
  #isChanging = false

  /** @throws ConfigError that names every problem of the file. */
  constructor(path: string | null, options: LiveWebOptions) {
    const first = load(path, options.cwd)
    this.#options = options
    this.#path = path
    this.#settings = first.settings
    this.#versions = first.versions
    this.#logOnce()
  }

  settings(): WebSettings {
    const path = this.#path
    if (path === null || this.#isChanging || !haveChanged(this.#versions)) return this.#settings
    const { log, cwd, onReading } = this.#options
    const reading = readWebSettings(path, cwd)
    // Also for an invalid configuration, which is only read again after one of its files changes.
    this.#versions = reading.versions
    const problems = [...reading.problems, ...(reading.problems.length === 0 ? this.#needsRestart(reading) : [])]
    if (problems.length > 0) log.warn({ problems }, 'Web configuration is invalid; the last valid one stays in force')
    else {
      this.#settings = reading.settings
      log.info({ file: path }, 'Web configuration reloaded')
      this.#logOnce()
    }
    onReading(problems.length === 0)
    return this.#settings
  }

  /** The settings do not change until `release`. @throws ConfigError when the file is invalid or needs a restart. */
  candidate(path: string | null): Candidate {
    const reading = load(path, this.#options.cwd)
    const problems = this.#needsRestart(reading)
    if (problems.length > 0) throw new ConfigError(problems)
    this.#isChanging = true
    return { ...reading, path }
  }

  release(): void {
    this.#isChanging = false
  }

  use({ path, settings, versions }: Candidate): void {
    this.#path = path
    this.#settings = settings
    this.#versions = versions
    this.#logOnce()
  }

  /** Changes that need a restart: switching TLS on or off, and removing authentication. */
  #needsRestart({ settings: next }: WebReading): string[] {
    const now = this.#settings
    const problems: string[] = []
    if ((now.tls === null) !== (next.tls === null)) {
      problems.push(`\`tls_server_config\` turns TLS ${next.tls === null ? 'off' : 'on'}, which takes a restart`)
    }
    if (isProtected(now) && !isProtected(next)) {
      problems.push('removing all users and client certificates opens the server to everybody, which takes a restart')
    }
    return problems
  }

  #logOnce(): void {
    const { log, host } = this.#options
    const { tls, users, wantsHttp2 } = this.#settings
    const once = (applies: boolean, message: string, write: Log['info']) => {
      if (!applies || this.#logged.has(message)) return
      this.#logged.add(message)
      write({ host }, message)
    }
    const isUnencrypted = users.size > 0 && tls === null && !isLoopback(host)
    once(!isLoopback(host) && !isProtected(this.#settings), openAddress, log.warn)
    once(isUnencrypted, 'Passwords are sent unencrypted: users are configured without TLS', log.warn)
    once(wantsHttp2, 'HTTP/2 is not supported; clients are served over HTTP/1.1', log.info)
  }
}

function load(path: string | null, cwd: string): WebReading {
  return path === null
    ? { settings: openWeb, problems: [], mistakes: [], versions: new Map() }
    : loadWebSettings(path, cwd)
}
