import type { AcceptedState, NotedWaiver, WaiverStore } from '../../../src/store/port.ts'

/** Accepted states in memory; waivers are noted, but what they accept is nothing a fake keeps up. */
export function fakeDecisions(): WaiverStore {
  const waivers = new Map<string, NotedWaiver>()
  const states = new Map<string, AcceptedState[]>()
  return {
    notedWaivers: async () => [...waivers.values()],
    agreeWaiver: async (_tenantId, waiver) => void waivers.set(waiver.id, waiver),
    acceptances: async () => [],
    lapses: async () => [],
    lapseCounts: async () => [],
    lapsedUnderAll: async () => [],
    lapsesAt: async () => [],
    async acceptedStates(_tenantId, check) {
      const known = states.get(check)
      return known === undefined ? null : [...new Map(known.map((state) => [state.entityId, state])).values()]
    },
    async keepFirstStates(_tenantId, check, first, at) {
      if (states.has(check)) return
      states.set(
        check,
        first.map((state) => ({ ...state, at, reason: null })),
      )
    },
    async acceptStates(accepted) {
      for (const { check, tenantId: _, ...state } of accepted) states.set(check, [...(states.get(check) ?? []), state])
      return true
    },
    acceptedVersion: async (_tenantId, check) => states.get(check)?.length ?? 0,
  }
}
