import { ConfigError } from '../config/mistakes.ts'
import { isProtected, loadWebSettings, openWeb, type WebSettings } from '../config/web-settings.ts'
import type { Log } from '../model/log.ts'
import { isLoopback } from '../model/process/address.ts'

export interface WebConfigOptions {
  readonly cwd: string
  readonly host: string
  readonly log: Log
}

/** The web configuration in force: read at start and at each reload (docs/first-week.md#access). */
export class WebConfig {
  readonly #options: WebConfigOptions
  #settings: WebSettings

  /** @throws ConfigError that names every problem of the file. */
  constructor(path: string | null, options: WebConfigOptions) {
    this.#options = options
    this.#settings = this.#load(path)
    this.#warn()
  }

  get settings(): WebSettings {
    return this.#settings
  }

  /** Reads the file for `use`. @throws ConfigError when it is invalid or needs a restart. */
  read(path: string | null): WebSettings {
    const next = this.#load(path)
    const problems: string[] = []
    if ((this.#settings.tls === null) !== (next.tls === null)) {
      problems.push(`\`tls_server_config\` turns TLS ${next.tls === null ? 'off' : 'on'}, which takes a restart`)
    }
    if (isProtected(this.#settings) && !isProtected(next)) {
      problems.push('removing all users and client certificates opens the server to everybody, which takes a restart')
    }
    if (problems.length > 0) throw new ConfigError(problems)
    return next
  }

  use(settings: WebSettings): void {
    this.#settings = settings
    this.#warn()
  }

  #load(path: string | null): WebSettings {
    return path === null ? openWeb : loadWebSettings(path, this.#options.cwd)
  }

  #warn(): void {
    const { log, host } = this.#options
    const { tls, users } = this.#settings
    if (isLoopback(host)) return
    if (!isProtected(this.#settings)) {
      log.warn(
        { host },
        'Status page and metrics are open to everybody who can reach this address: no users are configured',
      )
    }
    if (users.size > 0 && tls === null)
      log.warn({ host }, 'Passwords are sent unencrypted: users are configured without TLS')
  }
}
