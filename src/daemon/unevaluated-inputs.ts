import type { ResourceName } from '../model/resource-names.ts'
import type { RunResult } from '../sync/observer.ts'

/**
 * Resources that runs of a tenant read since its last evaluation. The last of several concurrent runs has them
 * evaluated: in between, a check would see one resource before and another one after the same change. The next tick of
 * the schedule evaluates also while a long run goes on.
 */
export class UnevaluatedInputs {
  readonly #read = new Set<ResourceName>()
  #running = 0

  async during(run: () => Promise<RunResult>): Promise<RunResult> {
    this.#running++
    try {
      const result = await run()
      if (result.outcome !== 'skipped' && result.reason !== 'aborted') this.#read.add(result.resource)
      return result
    } finally {
      this.#running--
    }
  }

  /** Empty while a run is in progress. */
  take(): readonly ResourceName[] {
    if (this.#running > 0) return []
    const read = [...this.#read]
    this.#read.clear()
    return read
  }
}
