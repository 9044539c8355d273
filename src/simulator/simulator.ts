import { type LifeEvent, liveStep } from './life.ts'
import { createRandom, mix } from './random.ts'
import { mergeReadings, type ReadingsInput } from './readings.ts'
import { type TenantName, type TokenName, tenantNames, tokenNames } from './seed-access.ts'
import { exchange } from './service.ts'
import { createWorld, type RequestHook, type WorldOptions } from './world.ts'

export type Service = ReturnType<typeof createService>

/** The simulated tenant API with its control, in process. The same seed and start time give the same data and events. */
export function createService(options: WorldOptions = {}) {
  const world = createWorld(options)
  const { tokens, tenants, clock, seed } = world
  const { credentials } = tokens
  const randoms = { primary: createRandom(mix(seed, 4)), second: createRandom(mix(seed, 5)) }
  const never = new AbortController().signal

  return {
    world,
    /** The tenants; changes to their resources are those that their portal would make. */
    ...tenants,
    credentials,
    /** The standing token of each API client. */
    get tokens(): Readonly<Record<TokenName, string>> {
      const values = tokenNames.map((name) => [name, credentials[name].value])
      return Object.fromEntries(values) as Record<TokenName, string>
    },
    get readings() {
      return world.readings
    },
    faults: world.faults,
    requests: world.requests,
    /** The latest 1,000 requests that the specification does not allow. */
    violations: world.violations,
    /** Changes readings; those that are built into the data stay. */
    setReadings(readings: ReadingsInput) {
      const { documentOrder, inactiveRoleState } = world.readings
      world.readings = mergeReadings(world.readings, { ...readings, documentOrder, inactiveRoleState })
    },
    /** Steps of the life of both tenants. */
    live(steps = 1): LifeEvent[] {
      const common = { clock, rates: world.lifeRates, expiredClient: credentials.expired.clientId }
      const step = () =>
        tenantNames.flatMap((name) => liveStep({ ...common, tenant: tenants[name], random: randoms[name] }))
      return Array.from({ length: steps }, step).flat()
    },
    /** Moves the token, and tokens issued for its client, to the other tenant (or the named one). */
    swapTenant(token: TokenName, tenant?: TenantName) {
      const credential = credentials[token]
      credential.tenant = tenant ?? (credential.tenant === 'primary' ? 'second' : 'primary')
    },
    rotateToken: (token: TokenName) => tokens.rotate(token),
    invalidateCursors: () => world.cursors.invalidateAll(),
    /** Calls and awaits the hook for each request before it is handled; returns a function that removes the hook. */
    onRequest(hook: RequestHook) {
      world.hooks.add(hook)
      return () => world.hooks.delete(hook)
    },
    /** Answers a request in process; rejects where a fault leaves the client without a whole answer. */
    async fetch(request: Request): Promise<Response> {
      const { record, reply, wire } = await exchange(world, request, never)
      const isLost = reply === null || wire !== undefined
      world.requests.finish(record, isLost ? null : reply.status)
      if (isLost) throw new TypeError('fetch failed: a fault of the simulator')
      const { status, headers, body } = reply
      const hasBody = status !== 204 && status !== 304
      return new Response(hasBody ? new Uint8Array(body) : null, { status, headers })
    },
  }
}
