import { SyncError } from '../../model/errors.ts'

export class OtherServerError extends SyncError {
  constructor() {
    super('store', 'A connection leads to another database server than the heartbeats, or it restarted', {
      hint: 'During a failover, this ends by itself when all connections lead to the new server; stop the former one',
    })
  }
}

/**
 * The server that a replica's heartbeats reach. During a failover, other connections may lead to a different one, with
 * older or newer data and the same owners; these must not be used.
 */
export class PresentServer {
  #start: string | null = null
  #isDoubted = false

  /**
   * @param start of the server that a connection leads to; the first one counts as the current one until `follow`.
   * @throws SyncError `store` when it is a different one.
   */
  insist(start: string): void {
    if (this.#start === null || start === this.#start) return
    this.#isDoubted = true
    throw new OtherServerError()
  }

  /** True if a connection led to a different server since the last call: the heartbeats' may be outdated. */
  takeDoubt(): boolean {
    const isDoubted = this.#isDoubted
    this.#isDoubted = false
    return isDoubted
  }

  /** True if the server changed. */
  follow(start: string): boolean {
    const isOther = this.#start !== null && this.#start !== start
    this.#start = start
    return isOther
  }
}
