import { createHash } from 'node:crypto'

/** With so few tenants the jitter alone keeps their runs apart. */
const fewTenants = 10
const msATenant = 500

/**
 * How long after its tick a job begins, in milliseconds: many tenants with one schedule do not all run in the same
 * minute. It is the same for a job each time, so that the interval between its runs is that of the schedule, and at most
 * half of the shortest interval, so that a run is over before the next tick. The span grows in powers of two: one tenant
 * more changes nothing for the others, as a rule.
 *
 * @param shortestMs the shortest interval between two ticks.
 */
export function splayMs(job: string, tenants: number, shortestMs: number): number {
  if (tenants <= fewTenants) return 0
  const span = Math.min(msATenant * 2 ** Math.ceil(Math.log2(tenants)), shortestMs / 2)
  const share = createHash('sha256').update(job).digest().readUInt32BE() / 2 ** 32
  return Math.floor(share * span)
}
