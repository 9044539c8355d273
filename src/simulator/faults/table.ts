import { createRandom } from '../random.ts'
import type { TokenName } from '../seed/tokens.ts'
import type { RequestRecord } from '../server/request-log.ts'
import type { TenantName } from '../truth.ts'
import type { FaultEffect } from './effect.ts'

export interface FaultMatch {
  readonly method?: string
  /** A path template (`/api/public/users/{id}`), an exact path, or a prefix that ends in `*`. */
  readonly path?: string
  readonly token?: TokenName
  readonly tenant?: TenantName
  /** Page number within the list, from 1. */
  readonly page?: number
  readonly hasCursor?: boolean
  readonly nth?: number
  readonly times?: number
  /** Share of matching requests, chosen by the simulator's seed. */
  readonly probability?: number
}

export interface Fault extends FaultMatch {
  readonly effect: FaultEffect
}

export interface ActiveFault extends Fault {
  readonly id: string
  /** Matching requests, before `nth`, `times` and `probability` apply. */
  matched: number
  hits: number
}

export interface FaultTable {
  add(fault: Fault): ActiveFault
  remove(id: string): boolean
  clear(): void
  list(): readonly ActiveFault[]
  get(id: string): ActiveFault | undefined
}

export interface MatchingFaultTable extends FaultTable {
  /** Counts and returns the effects that apply to a request, in the order the faults were added. */
  apply(request: RequestRecord): FaultEffect[]
}

function pathMatches(pattern: string, { path, endpoint }: RequestRecord): boolean {
  if (pattern.endsWith('*')) return path.startsWith(pattern.slice(0, -1))
  return pattern === path || pattern === endpoint
}

function matches(fault: FaultMatch, request: RequestRecord): boolean {
  return (
    (fault.method === undefined || fault.method === request.method) &&
    (fault.path === undefined || pathMatches(fault.path, request)) &&
    (fault.token === undefined || fault.token === request.token) &&
    (fault.tenant === undefined || fault.tenant === request.tenant) &&
    (fault.page === undefined || fault.page === request.page) &&
    (fault.hasCursor === undefined || fault.hasCursor === (request.cursor !== null))
  )
}

/** Makes an empty table; `seed` determines the requests that a probability selects. */
export function createFaultTable(seed: number): MatchingFaultTable {
  const active = new Map<string, ActiveFault>()
  const random = createRandom(seed)
  let made = 0
  return {
    add(fault) {
      const added: ActiveFault = { ...fault, id: `fault-${++made}`, matched: 0, hits: 0 }
      active.set(added.id, added)
      return added
    },
    remove: (id) => active.delete(id),
    clear: () => active.clear(),
    list: () => [...active.values()],
    get: (id) => active.get(id),
    apply(request) {
      const effects: FaultEffect[] = []
      for (const fault of active.values()) {
        if (!matches(fault, request)) continue
        fault.matched++
        if (fault.nth !== undefined && fault.matched !== fault.nth) continue
        if (fault.times !== undefined && fault.hits >= fault.times) continue
        if (fault.probability !== undefined && !random.chance(fault.probability)) continue
        fault.hits++
        request.faults.push(fault.id)
        effects.push(fault.effect)
      }
      return effects
    },
  }
}
