import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { changeDocuments } from './life-documents.ts'
import { changePolicy } from './life-policy.ts'
import { changeUsers } from './life-users.ts'
import type { Maker } from './populate.ts'
import type { Prng } from './prng.ts'
import type { Readings } from './readings.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { World } from './world.ts'

export interface Life {
  /** Lets the tenant live through the coming `ms`: changes at random instants of it. */
  step(ms: number): void
  /** From now on nothing changes, repairs included. */
  stop(): void
}

/** Removals of one day that no guard holds (docs/internals/sync.md#6-shrink-guard). */
const mostGone = 5
/** They are counted for so long, because it takes two full syncs until a removal is decided. */
const countedMs = 14 * dayMs

/** The tenant's own life: everything that people do in the portal, at random. */
export function createLife(
  parts: Omit<LifeParts, 'later' | 'after' | 'mayGo' | 'mayCome' | 'appearedOld'>,
  perHour: number,
): Life {
  const { time, prng, rough, readings, pace = 1 } = parts
  let stopped = false
  const guarded = (act: () => void) => () => {
    if (!stopped) act()
  }
  const after = (ms: number, act: () => void) => time.at(time.now + ms * pace, guarded(act))
  const later = (act: () => void) => after(prng.between(5 * minuteMs, 80 * minuteMs), act)
  const { world } = parts
  const counts = () => ({
    users: world.users.live().length,
    documents: world.documents.live().length,
    clients: world.clients.live().length,
  })
  const first = counts()
  let base = { since: time.now, live: first, gone: { users: 0, documents: 0, clients: 0 } }
  const mayGo: LifeParts['mayGo'] = (resource) => {
    if (rough) return true
    if (time.now - base.since > countedMs)
      base = { since: time.now, live: counts(), gone: { users: 0, documents: 0, clients: 0 } }
    const gone = base.gone[resource] + 1
    // Where each full page announces another one, nothing but a person can decide that the client of a last page is gone.
    const isFew = gone <= mostGone && gone * 2 <= base.live[resource]
    if (!isFew || (resource === 'clients' && readings.hasMoreWhenFull)) return false
    base.gone[resource] = gone
    return true
  }
  const mayCome: LifeParts['mayCome'] = (resource) => rough || counts()[resource] < 2 * first[resource]
  const whole: LifeParts = { ...parts, later, after, mayGo, mayCome, appearedOld: { count: 0 } }
  const change = () => {
    const kind = prng.next()
    if (kind < 0.45) changeUsers(whole)
    else if (kind < 0.75) changeDocuments(whole)
    else changePolicy(whole)
  }
  return {
    step(ms) {
      const expected = (perHour * ms) / hourMs / pace
      const count = Math.floor(expected) + (prng.chance(expected % 1) ? 1 : 0)
      for (let i = 0; i < count; i++) time.at(time.now + prng.between(0, ms), guarded(change))
    },
    stop() {
      stopped = true
    },
  }
}

/** Input of a change of the tenant. */
export interface LifeParts {
  readonly time: VirtualTime
  readonly world: World
  readonly prng: Prng
  readonly maker: Maker
  readonly readings: Readings
  /**
   * False on quiet runs, where nothing happens that makes a check unknown by its rules: neither mass removals, which the
   * shrink guard holds, nor two roles of one name, nor the removal of the only document that meets a requirement, which
   * two full syncs must show, nor of one that was never updated where `updatedAfter` cannot confirm it.
   */
  readonly rough: boolean
  /** How much slower than usual everything goes; 1 if absent. */
  readonly pace?: number
  /** False where one more removal in a day would be held (docs/internals/sync.md#6-shrink-guard); always true where life is rough. */
  readonly mayGo: (resource: 'users' | 'documents' | 'clients') => boolean
  /** False where a quiet tenant has grown to twice its size. */
  readonly mayCome: (resource: 'users' | 'documents' | 'clients') => boolean
  /** True once the mirror has the first state of the settings, from which drift is measured. */
  readonly settingsKnown: () => boolean
  /** Number of new records that are older than an hour. */
  readonly appearedOld: { count: number }
  /** Undoes a change some time later, unless life has stopped by then. */
  readonly later: (act: () => void) => void
  /** Does something after so many milliseconds, unless life has stopped by then. */
  readonly after: (ms: number, act: () => void) => void
}

/** Oldest creation that rule (b) of the tenant guard takes for new, with room for the full sync's own age. */
const newEnoughMs = 50 * minuteMs
/** More would look like another tenant's page, which the guard holds until an operator accepts it. */
const mostOld = 2

/** A moment of the past for a record that appears in the middle of the order; now and then one of long ago. */
export function inThePast(parts: LifeParts): number {
  const { time, prng, appearedOld } = parts
  if (appearedOld.count < mostOld && prng.chance(0.3)) {
    appearedOld.count++
    return time.now - prng.between(2 * dayMs, 60 * dayMs)
  }
  return time.now - prng.between(minuteMs, newEnoughMs)
}
