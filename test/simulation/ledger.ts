import type { ResourceName } from '../../src/model/resource-names.ts'

/** A wait that the tenant stated, as it reached the daemon. */
export interface StatedWait {
  readonly toldAt: number
  readonly until: number
}

/** What really went over the wire, for the oracle; times are the world's. */
export class Ledger {
  readonly #shown = new Map<string, number>()
  readonly #denied = new Map<string, number>()
  /** Records that were shown in a form that cannot be trusted. */
  readonly malformed = new Set<string>()
  /** Broken promises of silence, one a request sent too early. */
  readonly tooEarly: string[] = []
  requests = 0
  answers = 0
  #wait: StatedWait | null = null
  #excused: StatedWait | null = null

  show(resource: ResourceName, id: string, at: number): void {
    this.#shown.set(`${resource} ${id}`, at)
  }

  /** When the tenant last showed a record well; never is minus infinity. */
  shownAt(resource: ResourceName, id: string): number {
    return this.#shown.get(`${resource} ${id}`) ?? Number.NEGATIVE_INFINITY
  }

  deny(userId: string, at: number): void {
    this.#denied.set(userId, at)
  }

  /** When the tenant last answered 404 for a user. */
  deniedAt(userId: string): number {
    return this.#denied.get(userId) ?? Number.NEGATIVE_INFINITY
  }

  /** A wait over 30 s was delivered (contract: HTTP). */
  stateWait(wait: StatedWait): void {
    if (wait.until > (this.#wait?.until ?? 0)) this.#wait = wait
  }

  get wait(): StatedWait | null {
    return this.#wait
  }

  /** The wait may have died with the process that was told of it. */
  excuseWait(): void {
    this.#excused = this.#wait
  }

  get isExcused(): boolean {
    return this.#wait === this.#excused
  }
}
