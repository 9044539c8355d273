import type { TenantPosture } from '../../src/model/posture.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { WallClock } from './clocks.ts'
import { worldResources } from './world.ts'

interface FullSync {
  /** World time at which it began, at the earliest. */
  readonly startedAt: number
  /** The same at the latest: a clock that was set back shows a time twice. */
  readonly startedBy: number
  /** As the mirror has it. */
  readonly stated: number
}

/** The complete full syncs of each resource, as the oracle saw them become the age of the data; newest last. */
export class FullSyncLog {
  readonly #fullSyncs = new Map<ResourceName, FullSync[]>()
  readonly #previous = new Map<ResourceName, number>()

  /** Takes note of the ages of a posture. */
  note({ resources }: TenantPosture, wall: WallClock): void {
    for (const { resource, dataAsOf } of resources) {
      const fullSyncs = this.#fullSyncs.get(resource) ?? []
      this.#fullSyncs.set(resource, fullSyncs)
      this.#previous.set(resource, this.latest(resource))
      if (dataAsOf === null || fullSyncs.at(-1)?.stated === dataAsOf) continue
      fullSyncs.push({
        stated: dataAsOf,
        startedAt: wall.worldTimeOf(dataAsOf),
        startedBy: wall.lastWorldTimeOf(dataAsOf),
      })
    }
  }

  /** Start of the latest complete full sync, in the world's time; minus infinity before the first. */
  latest(resource: ResourceName): number {
    return this.#fullSyncs.get(resource)?.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY
  }

  /** The same as of the observation before: a stored check result may be one evaluation old. */
  lastSeen(resource: ResourceName): number {
    return Math.min(this.latest(resource), this.#previous.get(resource) ?? Number.NEGATIVE_INFINITY)
  }

  /** Start of the complete full sync so many before the last one seen; minus infinity when there were not so many. */
  back(resource: ResourceName, count: number): number {
    const seen = this.lastSeen(resource)
    const earlier = (this.#fullSyncs.get(resource) ?? []).filter(({ startedAt }) => startedAt <= seen)
    return earlier.at(-1 - count)?.startedAt ?? Number.NEGATIVE_INFINITY
  }

  /** From when to when the full sync before the last one can have been under way; any time while fewer than two were seen. */
  before(resource: ResourceName): readonly [from: number, to: number] {
    const [before, latest] = (this.#fullSyncs.get(resource) ?? []).slice(-2)
    if (before === undefined || latest === undefined) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    return [before.startedAt, latest.startedBy]
  }

  readInFull(resource: ResourceName): boolean {
    return (this.#fullSyncs.get(resource)?.length ?? 0) > 0
  }

  get allFullSynced(): boolean {
    return worldResources.every((resource) => this.readInFull(resource))
  }
}
