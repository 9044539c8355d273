import { type ChildProcess, spawn } from 'node:child_process'
import { Mutex } from 'async-mutex'
import type { NoAnswer, OwnAnswer, OwnQueries, OwnQuery, QueriedStore } from '../../evaluate/own-query.ts'
import type { ResourceName } from '../../model/resource-names.ts'
import { minuteMs, secondMs } from '../../model/time.ts'
import { type Job, type Message, sandboxProgram } from './sandbox-program.ts'
import { ownViews, snapshotTables } from './views.ts'

const options = ['--permission', '--allow-worker', '--no-warnings', '--max-old-space-size=96']

/** A process without environment, files and network that answers queries. It ends with this process. */
class Sandbox implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended = Promise.withResolvers<NoAnswer>()
  #problem: string | null = null

  /** @param memoryLimit of the process, in bytes. */
  constructor(memoryLimit: number) {
    this.#child = spawn(process.execPath, [...options, '-e', sandboxProgram(memoryLimit)], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('error', (error) => this.#end(`its process cannot be run: ${error.message}`))
    this.#child.on('exit', (code, signal) => {
      const limit = `it takes more than ${Math.round(memoryLimit / 2 ** 20)} MiB of memory, with the records`
      this.#end(signal === 'SIGUSR2' ? limit : `its process ended without an answer (${signal ?? code})`)
    })
  }

  /** Why it cannot be used any more; null while it can. */
  get problem(): string | null {
    return this.#problem
  }

  /** Resolves once the message is on its way or the process has ended. */
  async send(message: Message): Promise<void> {
    const sent = new Promise<void>((resolve) => this.#child.send(message, () => resolve()))
    await Promise.race([sent, this.#ended.promise])
  }

  /** One query at a time. The process is stopped at the time-out, and when the signal is aborted. */
  async ask(job: Job, timeoutMs: number, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
    const problem = `it takes longer than ${timeoutMs / secondMs} s (ownChecks.timeoutSeconds)`
    const timer = setTimeout(() => this.#stop(problem), timeoutMs)
    const abort = () => this.#stop('it was aborted')
    signal?.addEventListener('abort', abort)
    try {
      const answer = new Promise<OwnAnswer>((resolve) => this.#child.once('message', resolve))
      await this.send(job)
      return await Promise.race([answer, this.#ended.promise])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Resolves when the process has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop('its process was ended')
    await this.#ended.promise
  }

  #stop(problem: string): void {
    this.#problem ??= problem
    this.#child.kill('SIGKILL')
  }

  #end(problem: string): void {
    this.#problem ??= problem
    this.#ended.resolve({ kind: 'failed', problem: this.#problem })
  }
}

const mebibyte = 2 ** 20
/** How long an unused snapshot is kept; longer than the default interval of evaluations. */
const keptMs = 1.5 * minuteMs

/** A store without records, over which a query is validated. */
export const emptyStore: QueriedStore = {
  syncState: async () => ({ version: 0 }),
  records: () => ({ async *select() {} }),
}

interface Snapshot {
  readonly sandbox: Sandbox
  readonly store: QueriedStore
  /** The tenant, its resources and their data versions from before they were read. */
  readonly key: string
}

/**
 * Answers one query at a time, each over a snapshot of its tenant's live records in a process of its own
 * (docs/own-checks.md#what-a-query-cannot-do). The next query uses the snapshot, too, while the data is the same.
 */
export class SandboxQueries implements OwnQueries, AsyncDisposable {
  readonly #turn = new Mutex()
  readonly #memoryLimit: number
  /** With the inputs of earlier queries, one snapshot is enough for all own checks. */
  readonly #resources = new Set<ResourceName>()
  #snapshot: Snapshot | null = null
  #idle: NodeJS.Timeout | undefined

  /** @param memoryLimit of the process with the records, in bytes. */
  constructor(memoryLimit = 512 * mebibyte) {
    this.#memoryLimit = memoryLimit
  }

  ask(store: QueriedStore, tenantId: number, query: OwnQuery, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
    return this.#turn.runExclusive(async () => {
      // Before the timer is stopped, or the process would stay.
      signal?.throwIfAborted()
      clearTimeout(this.#idle)
      const sandbox = await this.#sandboxFor(store, tenantId, query.inputs, signal)
      const answer = await sandbox.ask(jobOf(query), query.timeoutMs, signal)
      signal?.throwIfAborted()
      this.#idle = setTimeout(() => void this[Symbol.asyncDispose](), keptMs).unref()
      return answer
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle)
    const last = this.#snapshot
    this.#snapshot = null
    await last?.sandbox[Symbol.asyncDispose]()
  }

  async #sandboxFor(
    store: QueriedStore,
    tenantId: number,
    inputs: readonly ResourceName[],
    signal?: AbortSignal,
  ): Promise<Sandbox> {
    for (const input of inputs) this.#resources.add(input)
    const versions = [...this.#resources].map(async (name) => [name, (await store.syncState(tenantId, name)).version])
    const key = JSON.stringify([tenantId, ...(await Promise.all(versions))])
    const last = this.#snapshot
    if (last?.store === store && last.key === key && last.sandbox.problem === null) return last.sandbox
    await this[Symbol.asyncDispose]()
    await using opening = new AsyncDisposableStack()
    const sandbox = opening.use(new Sandbox(this.#memoryLimit))
    await sandbox.send({ sql: `${ownViews.map(({ create }) => create).join(';')}; begin` })
    for (const { resource, insert, rowOf } of snapshotTables) {
      if (!this.#resources.has(resource)) continue
      for await (const batch of store.records(tenantId).select(resource)) {
        signal?.throwIfAborted()
        await sandbox.send({ sql: insert, rows: batch.map(rowOf) })
        if (sandbox.problem !== null) break
      }
    }
    await sandbox.send({ sql: 'commit; pragma query_only = on' })
    opening.move()
    this.#snapshot = { sandbox, store, key }
    return sandbox
  }
}

function jobOf({ text, inputs, now, tenant, maxRows }: OwnQuery): Job {
  const views = ownViews.map(({ name, resource }) => [name, resource] as const)
  const parameters = { now: Math.trunc(now), tenant }
  return { query: text, parameters, inputs, views, maxRows, maxText: 4 * mebibyte }
}
