import { createHash } from 'node:crypto'

/** Jitter alone separates the runs of so few tenants. */
const fewTenants = 10
const msATenant = 500

/**
 * Delay of a job after its tick in milliseconds, to spread the load of many tenants. Constant per job, so that
 * intervals stay those of the schedule, and at most half of the shortest one. The span is a power of two, so that an
 * added tenant seldom moves others.
 */
export function splayMs(job: string, tenants: number, shortestMs: number): number {
  if (tenants <= fewTenants) return 0
  const span = Math.min(msATenant * 2 ** Math.ceil(Math.log2(tenants)), shortestMs / 2)
  const share = createHash('sha256').update(job).digest().readUInt32BE() / 2 ** 32
  return Math.floor(share * span)
}
