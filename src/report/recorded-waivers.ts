import type { Waiver } from '../config/settings.ts'
import { readRecord } from '../evaluate/configuration-record.ts'
import { termsOf } from '../evaluate/waivers/waivers.ts'
import type { NotedConfiguration } from '../store/port.ts'

/** The removal of a waiver from the configuration, or its return with the same terms. */
export interface WaiverPresence {
  readonly kind: 'removed' | 'restored'
  /** In milliseconds since the epoch. */
  readonly at: number
  readonly waiver: Waiver
}

export interface RecordedWaivers {
  /** Waivers by `keyOf` with their terms. */
  readonly withTerms: ReadonlyMap<string, Waiver>
  /** In the order of the configurations. */
  readonly presence: readonly WaiverPresence[]
}

export function keyOf({ tenant, waiver }: { readonly tenant: string; readonly waiver: string }, terms = ''): string {
  return JSON.stringify([tenant, waiver, terms])
}

/** @param configurations oldest first. */
export async function recordedWaivers(configurations: AsyncIterable<NotedConfiguration>): Promise<RecordedWaivers> {
  const withTerms = new Map<string, Waiver>()
  const presence: WaiverPresence[] = []
  let before = new Map<string, Waiver>()
  const removed = new Map<string, Waiver>()
  for await (const configuration of configurations) {
    const { waivers } = readRecord(configuration)
    const { at } = configuration
    const present = new Map(waivers.map((one) => [keyOf({ tenant: one.tenant, waiver: one.id }), one]))
    for (const [key, waiver] of before) {
      if (present.has(key)) continue
      presence.push({ kind: 'removed', at, waiver })
      removed.set(key, waiver)
    }
    for (const [key, waiver] of present) {
      const terms = termsOf(waiver)
      withTerms.set(keyOf({ tenant: waiver.tenant, waiver: waiver.id }, terms), waiver)
      const former = removed.get(key)
      if (former !== undefined && termsOf(former) === terms) presence.push({ kind: 'restored', at, waiver })
      removed.delete(key)
    }
    before = present
  }
  return { withTerms, presence }
}
