import { hostname } from 'node:os'
import type { Clock, Random } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import { EngineRunning, FatalError } from '../../model/errors.ts'
import { type Lease, type LeaseOptions, Leases, renewEveryMs } from './leases.ts'

/** Tries to take everything: the lease of a killed engine lapses after ten seconds. */
const mostTries = 13

export interface EngineLease extends AsyncDisposable {
  /** Text and parameters of a fence: nothing is written once another engine has taken over. */
  readonly fence: ReturnType<Leases['fenceOf']>
  /** @throws FatalError once another engine has taken over. */
  assertHeld(): void
}

type Options = Omit<LeaseOptions, 'alone' | 'clock'> & { readonly clock: Clock }

/**
 * Makes this process the only engine of the database, like the lock file for a file. Daemons that start meanwhile wait.
 *
 * @throws FatalError while another engine lives.
 */
export async function leaseForEngine(options: Options): Promise<EngineLease> {
  const { clock } = options
  const leases = new Leases({ ...options, alone: true })
  const lease = await takeEverything(leases, clock)
  const ending = new AbortController()
  let isLost = false
  const renewing = (async () => {
    while (!isLost) {
      await clock.sleep(renewEveryMs, ending.signal).catch(() => {})
      if (ending.signal.aborted) return
      // While the server is unreachable, no other engine can take over either; the next renewal decides.
      isLost = await leases.renew().then(
        () => leases.lastHeld.get(null)?.epoch !== lease.epoch,
        () => false,
      )
    }
  })()
  return {
    fence: leases.fenceOf(lease),
    assertHeld() {
      if (isLost) throw new FatalError('Another tenantwatch engine has taken over the database of store.url')
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await renewing
      // Otherwise its leases lapse ten seconds later.
      await leases.leave().catch(() => {})
    },
  }
}

async function takeEverything(leases: Leases, clock: Clock): Promise<Lease> {
  for (let tries = 1; ; tries++) {
    await leases.renew()
    if (await leases.takeAll()) break
    if (tries === mostTries) {
      await leases.leave()
      throw new EngineRunning(
        'Another tenantwatch engine (run, sync or migrate-store) is working on the database of store.url; stop it first',
      )
    }
    await clock.sleep(secondMs)
  }
  const lease = leases.lastHeld.get(null)
  if (lease === undefined) throw new TypeError('The lease of the rows without a tenant was not taken')
  return lease
}

/** New at each start: the host name and 104 random bits. */
export function newEngineId(random: Random, host = hostname()): string {
  return `${host}/${[1, 2].map(() => Math.floor(random() * 2 ** 52).toString(36)).join('-')}`
}
