import type { ResourceName } from '../../src/model/resource-names.ts'

/** How wrong the server time of a resource's answers is, in milliseconds, null where it cannot be read; and since when. */
export interface ServerTime {
  readonly wrongMs: number | null
  readonly since: number
}

/** Beyond this the daemon must have noticed, in milliseconds: the limit, and what a skew may differ before it is kept. */
export const noticedSkewMs = 307_000

/** Kind of an answer's time; consecutive answers of one kind are merged. */
function kindOf(wrongMs: number | null): string {
  if (wrongMs === null) return 'unreadable'
  return Math.abs(wrongMs) <= noticedSkewMs ? 'right' : wrongMs < 0 ? 'behind' : 'ahead'
}

/** Server times stated by the answers of each resource. */
export class ServerTimes {
  readonly #last = new Map<ResourceName, ServerTime>()
  /** How far ahead of the world an answer's time was at most, in milliseconds, and how far behind. */
  mostAheadMs = 0
  mostBehindMs = 0

  /** @param wrongMs stated time minus the world's; null when it cannot be read. */
  note(resource: ResourceName, wrongMs: number | null, at: number): void {
    this.mostAheadMs = Math.max(this.mostAheadMs, wrongMs ?? 0)
    this.mostBehindMs = Math.max(this.mostBehindMs, -(wrongMs ?? 0))
    const before = this.#last.get(resource)
    const isSame = before !== undefined && kindOf(before.wrongMs) === kindOf(wrongMs)
    this.#last.set(resource, { wrongMs, since: isSame ? before.since : at })
  }

  of(resource: ResourceName): ServerTime | undefined {
    return this.#last.get(resource)
  }
}
