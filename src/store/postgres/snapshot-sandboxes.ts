import { Mutex } from 'async-mutex'
import type { Clock } from '../../model/clock.ts'
import { secondMs } from '../../model/durations.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { askIn } from '../own-checks/ask.ts'
import type { NoAnswer, OwnAnswer, OwnQuery } from '../own-checks/question.ts'
import type { PostgresDatabase } from './database.ts'
import { type Snapshot, type SnapshotLimits, snapshotFile, snapshotLimits, takeSnapshot } from './snapshot.ts'

/** How long an unused snapshot is kept; longer than the default interval of evaluations. */
const keptMs = 90 * secondMs

/** Most snapshots kept besides the one used last. Each is a process of about 60 MB without its records. */
const mostKept = 3
const mostKeptBytes = 64 * 2 ** 20

interface Tenant {
  readonly database: PostgresDatabase
  readonly tenantId: number
}

interface Kept extends Tenant, Snapshot {
  readonly resources: ReadonlySet<ResourceName>
  /** Data versions of the resources from before they were read. */
  readonly versions: string
  readonly idle: AbortController
}

/**
 * Answers own checks of all tenants of a process, one at a time. A snapshot is used until its data changes, or for 90
 * seconds after the last query.
 */
export class SnapshotSandboxes implements AsyncDisposable {
  readonly #clock: Pick<Clock, 'sleep'>
  readonly #limits: SnapshotLimits
  readonly #turn = new Mutex()
  /** The one used last is at the end. */
  #kept: readonly Kept[] = []
  /** Inputs of earlier queries, so that one snapshot is enough for all of them. */
  readonly #asked = new WeakMap<PostgresDatabase, Map<number, ReadonlySet<ResourceName>>>()

  constructor(clock: Pick<Clock, 'sleep'>, limits = snapshotLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** @throws the signal's reason. */
  ask(tenant: Tenant, query: OwnQuery, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
    return this.#turn.runExclusive(async () => {
      const kept = await this.#snapshotFor(tenant, query, signal)
      if ('kind' in kept) return kept
      try {
        return await askIn(kept.sandbox, query, { file: snapshotFile, tenantId: tenant.tenantId }, signal)
      } finally {
        await this.#keep(kept)
      }
    })
  }

  /** Ends the sandboxes of a database's tenants. */
  async end(database: PostgresDatabase): Promise<void> {
    await this.#drop((kept) => kept.database === database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drop(() => true)
  }

  async #snapshotFor(tenant: Tenant, { inputs }: OwnQuery, signal?: AbortSignal): Promise<Kept | NoAnswer> {
    const { database, tenantId } = tenant
    const former = this.#kept.find((one) => one.database === database && one.tenantId === tenantId)
    const isUsable =
      former?.sandbox.problem === null &&
      inputs.every((input) => former.resources.has(input)) &&
      former.versions === versionsOf(tenant, former.resources)
    if (isUsable) {
      former.idle.abort()
      this.#kept = this.#kept.filter((one) => one !== former)
      return { ...former, idle: new AbortController() }
    }
    await this.#drop((one) => one === former)
    const resources = this.#inputsSoFar(tenant, inputs)
    const versions = versionsOf(tenant, resources)
    const taken = await takeSnapshot(database, { tenantId, resources }, this.#limits, signal)
    return 'kind' in taken ? taken : { ...tenant, ...taken, resources, versions, idle: new AbortController() }
  }

  #inputsSoFar({ database, tenantId }: Tenant, inputs: readonly ResourceName[]): ReadonlySet<ResourceName> {
    const tenants = this.#asked.get(database) ?? new Map<number, ReadonlySet<ResourceName>>()
    this.#asked.set(database, tenants)
    const resources = new Set([...(tenants.get(tenantId) ?? []), ...inputs])
    tenants.set(tenantId, resources)
    return resources
  }

  async #keep(used: Kept): Promise<void> {
    this.#kept = [...this.#kept, used]
    const isIdle = this.#clock.sleep(keptMs, used.idle.signal)
    isIdle.then(
      () => this.#drop((one) => one === used),
      () => {},
    )
    let bytes = 0
    const older = this.#kept.slice(0, -1).toReversed()
    const surplus = older.filter(({ bytes: own }, at) => {
      bytes += own
      return at >= mostKept || bytes > mostKeptBytes
    })
    await this.#drop((one) => one.sandbox.problem !== null || surplus.includes(one))
  }

  async #drop(isMeant: (kept: Kept) => boolean): Promise<void> {
    const dropped = this.#kept.filter(isMeant)
    this.#kept = this.#kept.filter((one) => !dropped.includes(one))
    for (const { idle, sandbox } of dropped) {
      idle.abort()
      await sandbox[Symbol.asyncDispose]()
    }
  }
}

function versionsOf({ database, tenantId }: Tenant, resources: ReadonlySet<ResourceName>): string {
  return [...resources].map((resource) => database.versions.ofRecords(tenantId, resource)).join(' ')
}
