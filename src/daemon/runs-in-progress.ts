import type { ResourceName } from '../model/resource-names.ts'

/**
 * Resources of a tenant that runs are reading. A check waits for the runs of all of its inputs: in between, it would see
 * one resource before and another one after the same change. The next tick of the schedule evaluates in any case.
 */
export class RunsInProgress {
  #resources: readonly ResourceName[] = []

  get resources(): readonly ResourceName[] {
    return this.#resources
  }

  async during<T>(resource: ResourceName, run: () => Promise<T>): Promise<T> {
    this.#resources = [...this.#resources, resource]
    try {
      return await run()
    } finally {
      this.#resources = this.#resources.toSpliced(this.#resources.indexOf(resource), 1)
    }
  }
}
