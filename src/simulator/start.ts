import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createControlHandler } from './control/handler.ts'
import { createCursorCodec } from './cursors.ts'
import { createFaultTable } from './faults/table.ts'
import { liveStep } from './life.ts'
import { defaultSecondSizes, defaultSizes, type SimulatorOptions } from './options.ts'
import { createRandom, hashText, mix } from './random.ts'
import { defaultReadings, mergeReadings } from './readings.ts'
import { permissionCodes, resourceNamed, simulated } from './resources/index.ts'
import type { SimulatedResource } from './resources/resource.ts'
import { createApiHandler } from './server/api-handler.ts'
import { longestDelayMs } from './server/pause.ts'
import { createRequestLog } from './server/request-log.ts'
import type { Simulator } from './simulator.ts'
import { createTenant } from './tenant.ts'
import { controlOf } from './tenant-control.ts'
import { stateOf } from './tenant-state.ts'
import { MINUTE } from './timestamps.ts'
import { createTokenTable } from './tokens.ts'
import { type TenantName, tenantNames, type UserTruth } from './truth.ts'
import { createAuditor } from './violations.ts'
import type { World } from './world.ts'

function createWorld(options: SimulatorOptions): World {
  const { clock = Date.now, problems = true } = options
  const seed = hashText(String(options.seed ?? 'tenantwatch'))
  const readings = mergeReadings(defaultReadings, options.readings ?? {})
  const tenantSeeds = { primary: mix(seed, 1), second: mix(seed, 2) }
  const now = clock()
  const lists = new Map(
    simulated.flatMap((resource: SimulatedResource) =>
      resource.list === undefined ? [] : [[resource.name, resource.list] as const],
    ),
  )
  const tenantOf = (name: TenantName, shared: readonly UserTruth[] = []) =>
    createTenant({
      name,
      shared,
      seed: tenantSeeds[name],
      now,
      problems,
      readings,
      sizes:
        name === 'primary' ? { ...defaultSizes, ...options.sizes } : { ...defaultSecondSizes, ...options.secondSizes },
      sameNamedRoles: options.sameNamedRoles ?? problems,
      ingestionDelayMs: options.ingestionDelayMs ?? 10 * MINUTE,
      codes: permissionCodes,
      lists,
    })
  const primary = tenantOf('primary')
  // From the middle of the list, which has no special users.
  const middle = primary.users.size >> 1
  const shared = Array.from({ length: options.sharedUsers ?? 2 }, (_, i) => primary.users.seeded(middle + i))
  return {
    seed,
    clock,
    readings,
    tenants: {
      primary,
      second: tenantOf(
        'second',
        shared.filter((user) => user !== undefined),
      ),
    },
    tokens: createTokenTable(seed, tenantSeeds, problems, permissionCodes),
    cursors: createCursorCodec(seed),
    oauthTokenSeconds: options.oauthTokenSeconds ?? 300,
    responses: 0,
    responseSeed: mix(seed ^ 0x5eed, now),
  }
}

/**
 * Starts the simulated tenant API. Rejects when a port is taken.
 *
 * Times are epoch milliseconds of `clock`; the same seed and start time give the same tenants, tokens and events.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const world = createWorld(options)
  const { tokens, tenants, clock, seed } = world
  const { host = '127.0.0.1', port = 0, controlPort = 0, liveEveryMs = null } = options
  const log = createRequestLog(options.requestLogSize ?? 10_000)
  const auditor = createAuditor()
  const faults = createFaultTable(mix(seed, 3))
  const hooks = new Set<Parameters<Simulator['onRequest']>[0]>()
  const ending = new AbortController()

  const control = (name: TenantName) =>
    controlOf(
      tenants[name],
      stateOf(
        tenants[name],
        clock,
        () => world.readings,
        (state, resource) => resourceNamed(resource).records(state),
      ),
      clock,
    )
  const controls = { primary: control('primary'), second: control('second') }
  const randoms = { primary: createRandom(mix(seed, 4)), second: createRandom(mix(seed, 5)) }
  const frozenClients = new Set([tokens.get('expired').clientId])

  const api = await listen(createApiHandler({ world, log, auditor, faults, hooks, signal: ending.signal }), host, port)
  let controlListening: Listening | undefined
  let timer: NodeJS.Timeout | undefined

  const simulator: Simulator = {
    baseUrl: api.url,
    get controlUrl() {
      return controlListening?.url ?? null
    },
    tokenUrl: `${api.url}/oauth/token`,
    tokens: tokens.values,
    credentials: tokens.credentials,
    get readings() {
      return world.readings
    },
    primary: controls.primary,
    second: controls.second,
    faults,
    requests: log,
    violations: auditor.violations,
    tenant: (name) => controls[name],
    state: (name = 'primary') => controls[name].state,
    setReadings(readings) {
      const { documentOrder, inactiveRoleState } = world.readings
      world.readings = { ...mergeReadings(world.readings, readings), documentOrder, inactiveRoleState }
    },
    live({ steps = 1, rates = {}, tenants: wanted = tenantNames } = {}) {
      return Array.from({ length: steps }, () =>
        wanted.flatMap((name) =>
          liveStep({
            tenant: tenants[name],
            control: controls[name],
            random: randoms[name],
            clock,
            rates: { ...options.lifeRates, ...rates },
            frozenClients,
          }),
        ),
      ).flat()
    },
    swapTenant(token, tenant) {
      const credential = tokens.get(token)
      credential.tenant = tenant ?? (credential.tenant === 'primary' ? 'second' : 'primary')
    },
    revokeToken(token) {
      tokens.get(token).revoked = true
    },
    restoreToken(token) {
      tokens.get(token).revoked = false
    },
    rotateToken: (token) => tokens.rotate(token),
    grantPermission(token, permission) {
      tokens.get(token).permissions.add(permission)
    },
    revokePermission(token, permission) {
      tokens.get(token).permissions.delete(permission)
    },
    invalidateCursors: () => world.cursors.invalidateAll(),
    clearViolations: () => auditor.clear(),
    onRequest(hook) {
      hooks.add(hook)
      return () => hooks.delete(hook)
    },
    async close() {
      clearInterval(timer)
      ending.abort()
      await Promise.all([api, controlListening].map((one) => (one === undefined ? undefined : stopListening(one))))
    },
    [Symbol.asyncDispose]: () => simulator.close(),
  }

  if (controlPort !== null) {
    try {
      controlListening = await listen(createControlHandler(simulator), host, controlPort)
    } catch (error) {
      await simulator.close()
      throw error
    }
  }
  if (liveEveryMs !== null) timer = setInterval(() => simulator.live(), Math.min(liveEveryMs, longestDelayMs)).unref()
  return simulator
}

export interface Listening {
  readonly server: Server
  readonly url: string
}

/** Listens on a host and port (0 = a free one); rejects when the port is taken. */
async function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  // No time-outs: faults may delay answers, and closing idle connections would cause races.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: bound } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return { server, url: `http://${shown}:${bound}` }
}

function stopListening({ server }: Listening): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
