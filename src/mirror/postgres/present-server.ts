import { SyncError } from '../../model/errors.ts'

export class OtherServerError extends SyncError {
  constructor() {
    super('store', 'A connection leads to another database server than the heartbeats, or it restarted', {
      hint: 'During a failover, this ends by itself when all connections lead to the new server; stop the former one',
    })
  }
}

/**
 * The server that the heartbeats of a replica reach. While a failover is under way, other connections may lead to another
 * one, with older or newer data and the same owners: nothing is read there, and nothing written.
 */
export class PresentServer {
  #start: string | null = null
  #isDoubted = false

  /**
   * @param start of the server that a connection leads to; the first ones count as the present one until `follow`.
   * @throws SyncError `store` where it is another one.
   */
  insist(start: string): void {
    if (this.#start === null || start === this.#start) return
    this.#isDoubted = true
    throw new OtherServerError()
  }

  /** True when a connection led elsewhere since the last call: those of the heartbeats may be the outdated ones. */
  takeDoubt(): boolean {
    const isDoubted = this.#isDoubted
    this.#isDoubted = false
    return isDoubted
  }

  /** True when it is another one than before. */
  follow(start: string): boolean {
    const isOther = this.#start !== null && this.#start !== start
    this.#start = start
    return isOther
  }
}
