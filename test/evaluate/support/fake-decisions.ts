import type { EventRow, FindingStore, NotedWaiver } from '../../../src/store/port.ts'

type Part = Pick<FindingStore, 'acceptances' | 'agreeWaiver' | 'appendEvents' | 'events' | 'notedWaivers'>

/** Events in memory; waivers are noted, but what they accept is nothing a fake keeps up. */
export function fakeDecisions(log: EventRow[]): Part {
  const waivers = new Map<string, NotedWaiver>()
  return {
    notedWaivers: async () => [...waivers.values()],
    agreeWaiver: async (_tenantId, waiver) => void waivers.set(waiver.id, waiver),
    acceptances: async () => [],
    events: async ({ kinds, subjects }) =>
      log.filter(({ kind, subject }) => kinds.includes(kind) && subjects?.includes(subject) !== false),
    async appendEvents(_tenantId, events) {
      for (const { kind, subject, at, data } of events)
        log.push({ id: log.length + 1, tenant: 'acme', kind, subject, at, data })
    },
  }
}
