/** The runs of one tenant, which can be ended without those of the others. */
export class TenantScope {
  readonly #underWay = new Set<Promise<unknown>>()
  #ending = new AbortController()
  #linked: { readonly to: AbortSignal; readonly both: AbortSignal } | undefined

  /** Does a piece of work; its signal is aborted with the one given, and when the work of the tenant ends. */
  async run(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const both = this.#link(signal)
    const mine = work(both).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) throw error
    })
    this.#underWay.add(mine)
    try {
      await mine
    } finally {
      this.#underWay.delete(mine)
    }
  }

  /** Aborts what is under way and waits until it has ended. */
  async end(): Promise<void> {
    this.#ending.abort(new DOMException('The configuration of the tenant changes', 'AbortError'))
    await Promise.allSettled(this.#underWay)
  }

  /** Lets work begin again after an end. */
  resume(): void {
    this.#ending = new AbortController()
    this.#linked = undefined
  }

  /** One signal for all work: the same signal given each time must not collect dependants. */
  #link(signal: AbortSignal): AbortSignal {
    if (this.#linked?.to !== signal) {
      this.#linked = { to: signal, both: AbortSignal.any([signal, this.#ending.signal]) }
    }
    return this.#linked.both
  }
}
