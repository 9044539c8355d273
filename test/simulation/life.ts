import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { changeDocuments } from './life-documents.ts'
import type { LifeParts } from './life-parts.ts'
import { changePolicy } from './life-policy.ts'
import { changeUsers } from './life-users.ts'

export interface Life {
  /** Lets the tenant live through the coming `ms`: changes at random instants of it. */
  step(ms: number): void
  /** From now on nothing changes, repairs included. */
  stop(): void
  readonly changes: number
}

/** Removals of one day that no guard holds (docs/internals/sync.md#6-shrink-guard); quiet lives are shorter than a day. */
const mostGone = 5

/** The tenant's own life: everything that people do in the portal, at random. */
export function createLife(parts: Omit<LifeParts, 'later' | 'after' | 'mayGo' | 'appearedOld'>, perHour: number): Life {
  const { time, prng } = parts
  let changes = 0
  let stopped = false
  const guarded = (act: () => void) => () => {
    if (stopped) return
    changes++
    act()
  }
  const after = (ms: number, act: () => void) => time.at(time.now + ms, guarded(act))
  const later = (act: () => void) => after(prng.between(5 * minuteMs, 80 * minuteMs), act)
  const { world } = parts
  const gone = { users: 0, documents: 0, clients: 0 }
  const count = (resource: keyof typeof gone) => world[resource].live().length
  const first = { users: count('users'), documents: count('documents'), clients: count('clients') }
  const mayGo: LifeParts['mayGo'] = (resource) => {
    const isFew = gone[resource] < mostGone && (gone[resource] + 1) * 2 <= first[resource]
    if (isFew) gone[resource]++
    return parts.rough || isFew
  }
  const whole: LifeParts = { ...parts, later, after, mayGo, appearedOld: { count: 0 } }
  const change = () => {
    const kind = prng.next()
    if (kind < 0.45) changeUsers(whole)
    else if (kind < 0.75) changeDocuments(whole)
    else changePolicy(whole)
  }
  return {
    get changes() {
      return changes
    },
    step(ms) {
      const expected = (perHour * ms) / hourMs
      const count = Math.floor(expected) + (prng.chance(expected % 1) ? 1 : 0)
      for (let i = 0; i < count; i++) time.at(time.now + prng.between(0, ms), guarded(change))
    },
    stop() {
      stopped = true
    },
  }
}
