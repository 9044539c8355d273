import type { ResourceName, Shown } from './fields.ts'
import { type LifeEvent, type LifeRates, liveStep } from './life.ts'
import { createRandom, mix } from './random.ts'
import { mergeReadings, type ReadingsInput } from './readings.ts'
import { type PermissionCode, type TenantName, type TokenName, tenantNames, tokenNames } from './seed-access.ts'
import { exchange } from './service.ts'
import type { Tenant } from './tenant.ts'
import { createWorld, type RequestHook, type WorldOptions } from './world.ts'

export type TenantState = ReturnType<typeof stateOf>
export type TenantControl = ReturnType<typeof controlOf>

/** All data of a tenant in API field names; users include `roleId`, unlike the list of the API. */
function stateOf({ resources, settleIngestion }: Tenant) {
  const { users, documents, roles, permissions, 'api-clients': clients } = resources
  return {
    users: () => users.all(),
    user: (userId: number) => users.find(userId),
    userCount: () => users.records.size,
    documents() {
      settleIngestion()
      return documents.all()
    },
    document(fileId: string) {
      settleIngestion()
      return documents.find(fileId)
    },
    documentCount: () => documents.records.size,
    apiClients: () => clients.all(),
    apiClient: (clientId: string) => clients.find(clientId),
    apiClientCount: () => clients.records.size,
    roles: () => [...roles.all()],
    permissions: () => [...permissions.all()],
    authenticationSettings(): Shown<'authentication-settings'> {
      const [settings] = resources['authentication-settings'].all()
      if (settings === undefined) throw new Error('A tenant always has settings')
      return settings
    },
    /** The records of any resource; the settings are one. */
    records(resource: ResourceName): Iterable<object> {
      settleIngestion()
      return resources[resource].all()
    },
  }
}

/** Changes to the data of a tenant by resource, as its portal would make them. */
function controlOf(tenant: Tenant) {
  const {
    users,
    documents,
    roles,
    permissions,
    'api-clients': clients,
    'authentication-settings': settings,
  } = tenant.resources
  return {
    name: tenant.name,
    state: stateOf(tenant),
    resources: tenant.resources,
    addUser: users.add,
    addUserInTheMiddle: tenant.addUserInTheMiddle,
    updateUser: users.update,
    removeUser: users.remove,
    removeUsers: users.removeWhere,
    addDocument: documents.add,
    updateDocument: documents.update,
    removeDocument: documents.remove,
    removeDocuments: documents.removeWhere,
    addApiClient: clients.add,
    updateApiClient: clients.update,
    removeApiClient: clients.remove,
    removeApiClients: clients.removeWhere,
    addRole: roles.add,
    updateRole: roles.update,
    removeRole: roles.remove,
    removeRoles: roles.removeWhere,
    addPermission: permissions.add,
    updatePermission: permissions.update,
    removePermission: permissions.remove,
    setSettings: (fields: Parameters<typeof settings.update>[1]) => settings.update(0, fields),
  }
}

export interface ServiceOptions extends WorldOptions {
  readonly lifeRates?: Partial<LifeRates>
}

export interface LiveOptions {
  /** Default 1. */
  readonly steps?: number
  readonly rates?: Partial<LifeRates>
  /** Default: both tenants. */
  readonly tenants?: readonly TenantName[]
}

export type Service = ReturnType<typeof createService>

/** The simulated tenant API with its control, in process. The same seed and start time give the same data and events. */
export function createService(options: ServiceOptions = {}) {
  const world = createWorld(options)
  const { tokens, tenants, clock, seed } = world
  const { credentials } = tokens
  const controls = { primary: controlOf(tenants.primary), second: controlOf(tenants.second) }
  const randoms = { primary: createRandom(mix(seed, 4)), second: createRandom(mix(seed, 5)) }
  const never = new AbortController().signal

  return {
    world,
    ...controls,
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
    state: (name: TenantName = 'primary') => controls[name].state,
    tenantData: (name: TenantName) => tenants[name],
    /** Changes readings; those that are built into the data stay. */
    setReadings(readings: ReadingsInput) {
      const { documentOrder, inactiveRoleState } = world.readings
      world.readings = mergeReadings(world.readings, { ...readings, documentOrder, inactiveRoleState })
    },
    live({ steps = 1, rates = {}, tenants: wanted = tenantNames }: LiveOptions = {}): LifeEvent[] {
      const expiredClient = credentials.expired.clientId
      return Array.from({ length: steps }, () =>
        wanted.flatMap((name) =>
          liveStep({
            tenant: tenants[name],
            random: randoms[name],
            clock,
            rates: { ...options.lifeRates, ...rates },
            expiredClient,
          }),
        ),
      ).flat()
    },
    /** Moves the token, and tokens issued for its client, to the other tenant (or the named one). */
    swapTenant(token: TokenName, tenant?: TenantName) {
      const credential = credentials[token]
      credential.tenant = tenant ?? (credential.tenant === 'primary' ? 'second' : 'primary')
    },
    revokeToken(token: TokenName) {
      credentials[token].isRevoked = true
    },
    restoreToken(token: TokenName) {
      credentials[token].isRevoked = false
    },
    rotateToken: (token: TokenName) => tokens.rotate(token),
    grantPermission(token: TokenName, permission: PermissionCode) {
      credentials[token].permissions.add(permission)
    },
    revokePermission(token: TokenName, permission: PermissionCode) {
      credentials[token].permissions.delete(permission)
    },
    invalidateCursors: () => world.cursors.invalidateAll(),
    /** Calls and awaits the hook for each request before it is handled; returns a function that removes the hook. */
    onRequest(hook: RequestHook) {
      world.hooks.add(hook)
      return () => world.hooks.delete(hook)
    },
    /** Answers a request in process; rejects where a fault leaves the client without a whole answer. */
    async fetch(request: Request): Promise<Response> {
      const { record, reply, wire } = await exchange(world, request, never)
      const isLost = reply === null || (wire !== undefined && wire.kind !== 'drip')
      world.requests.finish(record, isLost ? null : reply.status)
      if (isLost) throw new TypeError('fetch failed: a fault of the simulator')
      const { status, headers, body } = reply
      const hasBody = status !== 204 && status !== 304
      return new Response(hasBody ? new Uint8Array(body) : null, { status, headers })
    },
  }
}
