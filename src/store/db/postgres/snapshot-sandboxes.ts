import { Mutex } from 'async-mutex'
import type { Clock } from '../../../model/clock.ts'
import { secondMs } from '../../../model/durations.ts'
import type { ResourceName } from '../../../model/resource-names.ts'
import type { Database } from '../../database.ts'
import { askIn } from '../../own-checks/ask.ts'
import type { NoAnswer, OwnAnswer, OwnQuery } from '../../own-checks/question.ts'
import { type Snapshot, type SnapshotLimits, snapshotFile, snapshotLimits, takeSnapshot } from './snapshot.ts'

/** How long an unused snapshot is kept; longer than the default interval of evaluations. */
const keptMs = 90 * secondMs

/** Most snapshots kept besides the one used last. Each is a process of about 60 MB without its records. */
const mostKept = 3
const mostKeptBytes = 64 * 2 ** 20

interface Tenant {
  readonly database: Database
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

  constructor(clock: Pick<Clock, 'sleep'>, limits = snapshotLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** @throws the signal's reason. */
  ask(tenant: Tenant, query: OwnQuery, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
    return this.#turn.runExclusive(async () => {
      const snapshot = await this.#snapshotFor(tenant, query, signal)
      if ('kind' in snapshot) return snapshot
      try {
        return await askIn(snapshot.sandbox, query, { file: snapshotFile, tenantId: tenant.tenantId }, signal)
      } finally {
        await this.#keep(snapshot)
      }
    })
  }

  /** Ends the sandboxes of a database's tenants. */
  async end(database: Database): Promise<void> {
    await this.#drop((snapshot) => snapshot.database === database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#drop(() => true)
  }

  async #snapshotFor(tenant: Tenant, { inputs }: OwnQuery, signal?: AbortSignal): Promise<Kept | NoAnswer> {
    const { database, tenantId } = tenant
    const last = this.#kept.find((one) => one.database === database && one.tenantId === tenantId)
    if (last !== undefined && isUsable(last, inputs)) {
      last.idle.abort()
      this.#kept = this.#kept.filter((one) => one !== last)
      return { ...last, idle: new AbortController() }
    }
    await this.#drop((one) => one === last)
    // With the inputs of earlier queries, one snapshot is enough for all of them.
    const resources = new Set([...(last?.resources ?? []), ...inputs])
    const versions = versionsOf(tenant, resources)
    const taken = await takeSnapshot(database, { tenantId, resources }, this.#limits, signal)
    return 'kind' in taken ? taken : { ...tenant, ...taken, resources, versions, idle: new AbortController() }
  }

  async #keep(used: Kept): Promise<void> {
    this.#kept = [...this.#kept, used]
    this.#clock.sleep(keptMs, used.idle.signal).then(
      () => this.#drop((one) => one === used),
      () => {},
    )
    let bytes = 0
    const older = this.#kept.slice(0, -1).toReversed()
    const surplus = older.filter((one, at) => {
      bytes += one.bytes
      return at >= mostKept || bytes > mostKeptBytes
    })
    await this.#drop((one) => one.sandbox.problem !== null || surplus.includes(one))
  }

  async #drop(isMeant: (snapshot: Kept) => boolean): Promise<void> {
    const dropped = this.#kept.filter(isMeant)
    this.#kept = this.#kept.filter((one) => !dropped.includes(one))
    for (const { idle, sandbox } of dropped) {
      idle.abort()
      await sandbox[Symbol.asyncDispose]()
    }
  }
}

function isUsable(snapshot: Kept, inputs: readonly ResourceName[]): boolean {
  return (
    snapshot.sandbox.problem === null &&
    inputs.every((input) => snapshot.resources.has(input)) &&
    snapshot.versions === versionsOf(snapshot, snapshot.resources)
  )
}

function versionsOf({ database, tenantId }: Tenant, resources: ReadonlySet<ResourceName>): string {
  return [...resources].map((resource) => database.versions.ofRecords(tenantId, resource)).join(' ')
}
