import { Cursors } from './cursors.ts'
import { Faults } from './faults.ts'
import type { LifeRates } from './life.ts'
import { hashText, mix } from './random.ts'
import { mergeReadings, type ReadingsInput, readingsSchema } from './readings.ts'
import { RequestLog, type RequestRecord, type Violation } from './requests.ts'
import { createTenant, type TenantSizes } from './tenant.ts'
import { type Credential, Tokens } from './tokens.ts'

export type RequestHook = (request: RequestRecord) => void | Promise<void>

/** Two tenants and what is shared by all requests to them; times are epoch milliseconds. */
export type World = ReturnType<typeof createWorld>

/** Whether the secret of a client has expired; tokens of a client end with it. */
export function hasExpiredSecret({ tenants, clock }: World, { tenant, clientId }: Credential): boolean {
  const client = tenants[tenant].resources['api-clients'].records.get(clientId)
  return client !== undefined && client.secretExpirationDate <= clock()
}

export interface WorldOptions {
  /** The same seed and start time give the same tenants, tokens and events. Default `tenantwatch`. */
  readonly seed?: string | number
  /** Epoch milliseconds; default the system clock. */
  readonly clock?: () => number
  readonly sizes?: Partial<TenantSizes>
  readonly secondSizes?: Partial<TenantSizes>
  /** Whether the data contains every kind of compliance problem (default) or none. */
  readonly problems?: boolean
  readonly readings?: ReadingsInput
  /** Lifetime of an access token of `/oauth/token` in seconds. Default 300. */
  readonly oauthTokenSeconds?: number
  readonly lifeRates?: Partial<LifeRates>
  /** Size of the request log. Default 10,000. */
  readonly requestLogSize?: number
}

const defaultSizes: TenantSizes = { users: 250, documents: 120, apiClients: 24, roles: 16 }
const defaultSecondSizes: TenantSizes = { users: 40, documents: 20, apiClients: 12, roles: 8 }

/** Users that both tenants have, each with a role of its own in the second. */
const sharedUsers = 2

/** Makes both tenants from a seed. */
export function createWorld(options: WorldOptions) {
  const { clock = Date.now, problems = true } = options
  const seed = hashText(String(options.seed ?? 'tenantwatch'))
  const seeds = { primary: mix(seed, 1), second: mix(seed, 2) }
  const current = { readings: mergeReadings(readingsSchema.parse({}), options.readings ?? {}) }
  const of = { clock, problems, readings: () => current.readings }
  const sizes = { ...defaultSizes, ...options.sizes }
  const primary = createTenant({ ...of, tenant: 'primary', seed: seeds.primary, sizes, shared: [] })
  const secondSizes = { ...defaultSecondSizes, ...options.secondSizes }
  // From the middle of the list, which has no special users.
  const users = primary.resources.users.records.all()
  const shared = users.slice(users.length >> 1).slice(0, Math.min(sharedUsers, secondSizes.users))
  const second = createTenant({ ...of, tenant: 'second', seed: seeds.second, sizes: secondSizes, shared })
  return Object.assign(current, {
    seed,
    clock,
    tenants: { primary, second },
    tokens: new Tokens(seed, seeds, problems),
    cursors: new Cursors(seed),
    oauthTokenSeconds: options.oauthTokenSeconds ?? 300,
    faults: new Faults(),
    requests: new RequestLog(options.requestLogSize ?? 10_000),
    violations: [] as Violation[],
    lifeRates: options.lifeRates ?? {},
    hooks: new Set<RequestHook>(),
    /** Seed of response ids, which differ after each start. */
    responseSeed: mix(seed ^ 0x5eed, clock()),
    /** Number of responses. */
    responses: 0,
  })
}
