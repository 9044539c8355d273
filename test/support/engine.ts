import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createTenantClient, type TenantClient } from '../../src/api/client.ts'
import type { TenantSettings } from '../../src/config/settings.ts'
import type { Log } from '../../src/model/log.ts'
import { type ResourceName, resourceNames, type SyncMode } from '../../src/model/resource-names.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { serverTimesReached } from '../../src/model/server-clock.ts'
import { resources } from '../../src/resources/index.ts'
import { type Simulator, type SimulatorOptions, startSimulator, type TokenName } from '../../src/simulator/index.ts'
import type { Mirror } from '../../src/store/port.ts'
import { waitAt } from '../../src/store/sync/tenant-store.ts'
import type { SyncObserver } from '../../src/sync/context.ts'
import { enabledNames, shortestIntervalMs } from '../../src/sync/due.ts'
import { openTenantEngine, type TenantEngine } from '../../src/sync/tenant-engine.ts'
import { worldResources } from '../simulation/world.ts'
import { isFeed } from './descriptors.ts'
import { type EngineSettings, engineSettings } from './engine-settings.ts'
import { type FakeClock, fakeClock, startTime } from './fake-clock.ts'
import { temporaryFolder } from './temporary.ts'
import { type OpenedMirror, openTestMirror } from './test-database.ts'

export interface TestEngineOptions extends SimulatorOptions {
  readonly settings?: EngineSettings
  /** What the tenant is made of; every other resource is switched off. Default: all, of a scripted server its own. */
  readonly serves?: readonly ResourceName[]
  /** The simulator's credential whose token the engine reads from its environment; default `reader`. */
  readonly token?: TokenName
}

/** Calls of the engine to its observer and its log. */
export interface Observed {
  readonly runs: RunResult[]
  /** `resource kind`, one a contract event. */
  readonly events: string[]
  /** Resource of each cursor reset. */
  readonly resets: ResourceName[]
  /** `level message` of each line of the engine's log from info up. */
  readonly log: string[]
  /** Message and fields of every event in the logs of engine and client, at any level. */
  readonly logged: (readonly [message: string, fields: object])[]
}

/** The real engine over a real mirror file, working on a reference tenant over loopback. */
export interface TestEngine {
  readonly sim: Simulator
  readonly clock: FakeClock
  readonly observed: Observed
  readonly settings: TenantSettings
  /** Belongs to the present process life: a new one after `restart` and `crash`. */
  readonly mirror: Mirror
  readonly engine: TenantEngine
  readonly client: TenantClient
  readonly path: string
  /** Looks into the file beside the mirror. */
  query(sql: string, ...values: unknown[]): Record<string, unknown>[]
  /** Runs one resource; by default its cheapest way: an incremental sync where it has one. */
  run(resource: ResourceName, mode?: SyncMode, signal?: AbortSignal): Promise<RunResult>
  /** Runs every resource once, one after the other. */
  runAll(mode?: SyncMode): Promise<readonly RunResult[]>
  /** Closes engine and mirror and opens them again on the same file, with changed settings where given. */
  restart(changes?: EngineSettings): Promise<void>
  /** As after SIGKILL: the file as it lies is opened elsewhere; what still runs on the old one writes in vain. */
  crash(changes?: EngineSettings): Promise<void>
  /** The records as `tenantwatch export` gives them. */
  exported(resource: ResourceName): Promise<Record<string, unknown>[]>
  /** The token the environment holds. */
  useToken(value: string): void
  /** Ends all of it before the test does; for tests that make many. */
  close(): Promise<void>
}

interface Life {
  readonly mirror: Mirror
  readonly client: TenantClient
  readonly engine: TenantEngine
  readonly settings: TenantSettings
  readonly opened: OpenedMirror
  readonly path: string
}

/** Starts a simulator, an empty mirror and an engine between them; all of it ends with the test. */
export async function testEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const { settings: changes = {}, serves, token = 'reader', ...simulatorOptions } = options
  const clock = fakeClock()
  // The clock of the tenant is another one: no jump of this machine's moves it.
  const sim = await startSimulator({
    clock: () => startTime + clock.monotonic(),
    controlPort: null,
    ...simulatorOptions,
  })
  const observed: Observed = { runs: [], events: [], resets: [], log: [], logged: [] }
  let secret = sim.tokens[token]
  let current = changes
  let copies = 0
  const folder = temporaryFolder()

  async function open(path: string): Promise<Life> {
    const { tokenHeader: header, tokenScheme: scheme } = sim.readings
    const auth = { header, scheme, ...current.auth }
    const off = allBut(serves ?? (current.baseUrl === undefined ? resourceNames : scriptedResources))
    const settings = engineSettings(sim.baseUrl, { ...current, resources: { ...off, ...current.resources }, auth })
    const opened = openTestMirror(path)
    const { mirror } = opened
    const { tenant: row } = await mirror.openTenant(settings.name, settings.baseUrl, clock.now())
    const client = createTenantClient({
      name: settings.name,
      baseUrl: settings.baseUrl,
      auth: settings.auth,
      api: settings.api,
      clock,
      random: () => 0.5,
      env: (name) => (name === 'TOKEN' ? secret : undefined),
      log: logInto(observed, []),
      cycleMs: shortestIntervalMs(settings),
      ...waitAt(settings.baseUrl, row),
      storeWait: (blockedUntil, blockedForMs) => mirror.noteTenant(row.id, { blockedUntil, blockedForMs }),
      serverTimesReached: serverTimesReached(await mirror.quality(row.id)),
      resources: enabledNames(settings),
    })
    const log = logInto(observed, observed.log)
    const { reader } = client
    const engine = await openTenantEngine({
      settings,
      reader,
      store: mirror,
      clock,
      log,
      observer: observerInto(observed),
    })
    return { mirror, client, engine, settings, path, opened }
  }

  const processes: Life[] = []
  let life = await open(join(folder, 'mirror.db'))
  processes.push(life)
  const closed = new Set<Life>()

  async function close(one: Life): Promise<void> {
    if (closed.has(one)) return
    closed.add(one)
    await one.client[Symbol.asyncDispose]()
    const wrong = one.opened.wrongCounts()
    one.opened.closeQuery()
    expect(wrong).toEqual([])
    await one.mirror[Symbol.asyncDispose]()
  }

  async function closeAll(): Promise<void> {
    clock.release()
    for (const one of processes) await close(one)
    await sim.close()
  }

  onTestFinished(closeAll)

  const test: TestEngine = {
    sim,
    clock,
    observed,
    get settings() {
      return life.settings
    },
    get mirror() {
      return life.mirror
    },
    get engine() {
      return life.engine
    },
    get client() {
      return life.client
    },
    get path() {
      return life.path
    },
    query: (sql, ...values) => life.opened.query(sql, ...values),
    async run(resource, mode = isFeed(resource) ? 'incremental' : 'full', signal = new AbortController().signal) {
      const { engine, client } = life
      const result = await engine.run(resource, mode, signal)
      client.answerTimes.runEnded(result)
      return result
    },
    async runAll(mode) {
      const results: RunResult[] = []
      for (const resource of life.engine.resources) results.push(await test.run(resource, mode))
      return results
    },
    async restart(next) {
      current = { ...current, ...next }
      await close(life)
      life = await open(life.path)
      processes.push(life)
    },
    async crash(next) {
      current = { ...current, ...next }
      const path = join(folder, `after-crash-${++copies}.db`)
      life.opened.crashTo(path)
      life = await open(path)
      processes.push(life)
    },
    async exported(resource) {
      const records: Record<string, unknown>[] = []
      for await (const batch of life.mirror.records(life.engine.tenantId).select(resource)) {
        for (const { fields, extra } of batch) records.push({ ...fields, ...extra })
      }
      return records
    },
    useToken(value) {
      secret = value
    },
    close: closeAll,
  }
  return test
}

function observerInto(observed: Observed): SyncObserver {
  return {
    runEnded: (result) => void observed.runs.push(result),
    cursorReset: (_tenant, resource) => void observed.resets.push(resource),
    contractEvent: (_tenant, resource, kind) => void observed.events.push(`${resource} ${kind}`),
    secretsRotated() {},
    page() {},
    lookedUp() {},
  }
}

function logInto({ logged }: Observed, lines: string[]): Log {
  const write = (level: string) => (fields: object, message: string) => {
    if (level !== 'debug') lines.push(`${level} ${message}`)
    logged.push([message, fields])
  }
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  }
  return log
}

/** The resources of scripted servers (at a `baseUrl` of their own) and of tests whose scenes name all that there is. */
export const scriptedResources = worldResources

function allBut(served: readonly ResourceName[]): EngineSettings['resources'] {
  return Object.fromEntries(
    resourceNames.filter((name) => !served.includes(name)).map((name) => [name, { enabled: false }]),
  )
}

const idFieldOf = (resource: ResourceName) => resources.find(({ name }) => name === resource)?.idField ?? null

const byPermissionId = (a: { readonly permissionId: number }, b: { readonly permissionId: number }) =>
  a.permissionId - b.permissionId

/** The records of the tenant, in the order and the letter case of the comparison. */
function upstream(sim: Simulator, resource: ResourceName): Record<string, unknown>[] {
  return comparable(resource, [...sim.primary.resources[resource].all()] as Record<string, unknown>[])
}

/** Records in id order; GUIDs in lower case, because one reading lets their case change with every answer. */
export function comparable(resource: ResourceName, records: readonly object[]): Record<string, unknown>[] {
  const idField = idFieldOf(resource)
  const plain = structuredClone(records) as Record<string, unknown>[]
  if (idField === null) return plain
  for (const record of plain) {
    const id = record[idField]
    if (typeof id === 'string') record[idField] = id.toLowerCase()
    if (Array.isArray(record['permissions'])) record['permissions'].sort(byPermissionId)
  }
  const key = (record: Record<string, unknown>) => record[idField] as string | number
  return plain.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

/** The mirror's records and the tenant's, by resource, to be compared whole. */
export async function bothSides(test: TestEngine, wanted: readonly ResourceName[] = resourceNames) {
  const mirrored: Partial<Record<ResourceName, unknown>> = {}
  const truth: Partial<Record<ResourceName, unknown>> = {}
  for (const resource of wanted) {
    mirrored[resource] = comparable(resource, await test.exported(resource))
    truth[resource] = upstream(test.sim, resource)
  }
  return { mirrored, truth }
}
