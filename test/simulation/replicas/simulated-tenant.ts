import type { createTenantClient } from '../../../src/api/client.ts'
import type { TenantClientOptions } from '../../../src/api/options.ts'
import type { TenantClient } from '../../../src/api/reader.ts'
import { checks } from '../../../src/checks/index.ts'
import type { TenantSettings } from '../../../src/config/settings.ts'
import { secondMs } from '../../../src/model/durations.ts'
import { WallClock } from '../clocks.ts'
import { CursorBook } from '../cursors.ts'
import { Ledger } from '../ledger.ts'
import { createLife, type Life } from '../life.ts'
import { chooseSettings } from '../machine-settings.ts'
import { createModelClient } from '../model-client.ts'
import { Network } from '../network.ts'
import { chooseSizes, createMaker, populate, populateOther } from '../populate.ts'
import type { Prng } from '../prng.ts'
import { chooseReadings, type Readings } from '../readings.ts'
import { createService } from '../service.ts'
import type { VirtualTime } from '../virtual-time.ts'
import { type RequestFault, Weather } from '../weather.ts'
import { type World, worldResources } from '../world.ts'
import type { Host } from './host.ts'
import { everySeconds } from './virtual-scheduler.ts'

/** Changes of a tenant in an hour: lives are minutes long. */
const changesPerHour = 240

/** Every kind of input, and few enough for many lives: most statements of a life are those of evaluations. */
const checksOfLives = [
  'api-client-least-privilege',
  'api-client-secret-not-expiring',
  'auth-settings-unchanged',
  'auth-sso-enforced',
  'document-name-unique',
  'document-required-present',
  'role-permissions-unchanged',
  'user-mfa-enrolled',
  'user-role-active',
]

/** Weather of minutes: a wait of an hour would outlast the life. */
class ShortWeather extends Weather {
  readonly #prng: Prng

  constructor(time: VirtualTime, prng: Prng) {
    super(time, prng)
    this.#prng = prng
  }

  override statedWait(fault: 'short-wait' | 'long-wait'): number {
    const [low, high] = fault === 'short-wait' ? [1, 20] : [31, 60]
    return this.#prng.between(low, high) * secondMs
  }

  override strike(prng: Prng): RequestFault | null {
    const fault = super.strike(prng)
    // A cursor that was lost lets documents be read again by time, at intervals of hours.
    return fault === 'cursor-refused' ? 'server-error' : fault
  }
}

/** A tenant with its API and its own life; all replicas read the same one. */
export class SimulatedTenant {
  readonly name: string
  readonly world: World
  readonly wall: WallClock
  readonly ledger = new Ledger()
  readonly readings: Readings
  readonly weather: Weather
  readonly settings: TenantSettings
  readonly life: Life
  readonly #network: Network
  readonly #time: VirtualTime
  readonly #prng: Prng

  constructor(name: string, time: VirtualTime, prng: Prng) {
    this.name = name
    this.#time = time
    this.#prng = prng
    this.wall = new WallClock(time)
    this.readings = chooseReadings(prng)
    this.settings = settingsOf(name, prng)
    this.weather = new ShortWeather(time, prng)
    const { wall, readings, ledger, weather } = this
    const maker = createMaker(prng, false)
    this.world = populate(time, name, chooseSizes(prng, true), prng, maker)
    const cursors = new CursorBook(readings)
    const service = createService(readings, cursors)
    const worlds = { own: this.world, other: populateOther(this.world, prng) }
    const server = { skewMs: 0 }
    // Pages of other tenants are for the lives of one process.
    const told = { readInFullAt: () => Number.NEGATIVE_INFINITY, bornAt: () => 0 }
    this.#network = new Network({
      ...{ time, wall, prng, weather, service, cursors, readings, ledger, server, ...worlds, ...told },
    })
    const { world } = this
    this.life = createLife(
      { time, world, prng, maker, readings, rough: false, settingsKnown: () => true },
      changesPerHour,
    )
  }

  /** The client of a process on a host. */
  clientOn(host: Host): typeof createTenantClient {
    const time = this.#time
    return (options: TenantClientOptions): TenantClient => {
      const { blockedUntil = 0, blockedForMs = null, serverTimesReached = [], storeWait } = options
      const wire = this.#network
      const client = createModelClient({
        settings: this.settings,
        scope: host,
        wall: { for: () => host.clock },
        network: {
          token: wire.token,
          async send(...given) {
            const outcome = await host.arrival(wire.send(...given))
            return { ...outcome, receivedAt: time.now, receivedMonotonic: time.now - host.bornAt }
          },
        },
        prng: this.#prng,
        tenant: { id: 0, blockedUntil, blockedForMs },
        store: { noteTenant: async (_, wait) => storeWait?.(wait.blockedUntil ?? 0, wait.blockedForMs ?? 0) },
        serverTimesReached,
      })
      return {
        ...client.reader,
        reader: client.reader,
        answerTimes: client.answerTimes,
        get blockedUntil() {
          return client.blockedUntil
        },
        waitMs: client.waitMs,
        tokenGoodForMs: null,
        async [Symbol.asyncDispose]() {},
      }
    }
  }
}

function settingsOf(name: string, prng: Prng): TenantSettings {
  const chosen = chooseSettings(prng)
  const resources = Object.fromEntries(
    Object.entries(chosen.resources).map(([resource, settings]) => {
      if (!(worldResources as readonly string[]).includes(resource)) return [resource, settings]
      const incremental = settings.incremental && everySeconds(30)
      return [resource, { ...settings, incremental, full: everySeconds(60) }]
    }),
  )
  const unused = checks.filter(({ id }) => !checksOfLives.includes(id))
  const off = unused.map(({ id }) => [id, { enabled: false, severity: null, options: {} }] as const)
  const kept = { ...chosen.checks, ...Object.fromEntries(off) }
  return {
    ...chosen,
    checks: kept,
    name,
    baseUrl: `https://${name}.test`,
    resources: resources as TenantSettings['resources'],
  }
}
