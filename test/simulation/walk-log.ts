import type { TenantPosture } from '../../src/model/posture.ts'
import { type ResourceName, resourceNames } from '../../src/model/resource-names.ts'
import type { WallClock } from './clocks.ts'

interface Walk {
  /** World time at which it began, at the earliest. */
  readonly startedAt: number
  /** The same at the latest: a clock that was set back shows a time twice. */
  readonly startedBy: number
  /** As the mirror has it. */
  readonly stated: number
}

/** The complete walks of each resource, as the oracle saw them become the age of the data; newest last. */
export class WalkLog {
  readonly #walks = new Map<ResourceName, Walk[]>()
  readonly #previous = new Map<ResourceName, number>()

  /** Takes note of the ages of a posture. */
  note({ resources }: TenantPosture, wall: WallClock): void {
    for (const { resource, dataAsOf } of resources) {
      const walks = this.#walks.get(resource) ?? []
      this.#walks.set(resource, walks)
      this.#previous.set(resource, this.latest(resource))
      if (dataAsOf === null || walks.at(-1)?.stated === dataAsOf) continue
      walks.push({ stated: dataAsOf, startedAt: wall.worldTimeOf(dataAsOf), startedBy: wall.lastWorldTimeOf(dataAsOf) })
    }
  }

  /** Start of the latest complete walk, in the world's time; minus infinity before the first. */
  latest(resource: ResourceName): number {
    return this.#walks.get(resource)?.at(-1)?.startedAt ?? Number.NEGATIVE_INFINITY
  }

  /** The same as of the observation before: a stored verdict may be one evaluation old. */
  lastSeen(resource: ResourceName): number {
    return Math.min(this.latest(resource), this.#previous.get(resource) ?? Number.NEGATIVE_INFINITY)
  }

  /** Start of the complete walk so many before the last one seen; minus infinity when there were not so many. */
  back(resource: ResourceName, count: number): number {
    const seen = this.lastSeen(resource)
    const earlier = (this.#walks.get(resource) ?? []).filter(({ startedAt }) => startedAt <= seen)
    return earlier.at(-1 - count)?.startedAt ?? Number.NEGATIVE_INFINITY
  }

  /** From when to when the walk before the last one can have been under way; any time while fewer than two were seen. */
  before(resource: ResourceName): readonly [from: number, to: number] {
    const [before, latest] = (this.#walks.get(resource) ?? []).slice(-2)
    if (before === undefined || latest === undefined) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    return [before.startedAt, latest.startedBy]
  }

  walked(resource: ResourceName): boolean {
    return (this.#walks.get(resource)?.length ?? 0) > 0
  }

  get allWalked(): boolean {
    return resourceNames.every((resource) => this.walked(resource))
  }
}
