import { secondMs } from '../../../src/model/durations.ts'
import type { Answer, Connection, Connections } from '../../../src/store/db/postgres/pool.ts'
import type { Query } from '../../../src/store/db/postgres/statement.ts'
import type { Prng } from '../prng.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { DatabaseServer, ServerConnection } from './database-server.ts'
import type { Host } from './host.ts'

/** As `src/store/db/postgres/pool.ts` has it. */
const connectMs = 10 * secondMs

/** Latencies in milliseconds, of which a connection has one. */
const latencies = [0, 0, 0, 0, 0, 0, 0, 1, 2, 15] as const

export interface Transaction {
  readonly host: Host
  /** As its fence states it; null without one. */
  readonly fence: { readonly tenant: number; readonly owner: string; readonly epoch: number } | null
}

export interface NetworkParts {
  readonly time: VirtualTime
  readonly prng: Prng
  readonly server: DatabaseServer
  /** Receives each transaction that wrote, as the server has committed it. */
  readonly committed: (transaction: Transaction) => Promise<void>
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })
const reset = () => failure('ECONNRESET', 'read ECONNRESET')
const refused = () => failure('ECONNREFUSED', 'connect ECONNREFUSED')
const late = () => new Error('timeout exceeded when trying to connect')
const silent = () => new Error('Query read timeout')

/** The network between hosts and the database server. */
export class DatabaseNetwork {
  readonly #parts: NetworkParts
  readonly #open = new Set<SimulatedConnection>()
  readonly #held: { readonly host: Host; readonly pass: () => void }[] = []

  constructor(parts: NetworkParts) {
    this.#parts = parts
  }

  /** Connections of a process, so many at a time. @param silenceMs longest wait for the answer to a statement. */
  connectionsOf(host: Host, most: number, silenceMs: number): Connections {
    const waiting: (() => void)[] = []
    let taken = 0
    const give = () => {
      taken--
      waiting.shift()?.()
    }
    const connect = async () => {
      while (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve))
      taken++
      try {
        await this.passage(host, 0)
        if (host.link === 'refuses') throw refused()
        const parts = { ...this.#parts, network: this, silenceMs, give }
        const connection = new SimulatedConnection(parts, host, await this.#parts.server.connect())
        this.#open.add(connection)
        return connection
      } catch (error) {
        give()
        throw error
      }
    }
    return {
      connect: () => {
        const isQuick = taken < most && host.link !== 'hangs'
        return host.arrival(isQuick ? connect() : this.#within(connectMs, connect()))
      },
      async end() {},
    }
  }

  closed(connection: SimulatedConnection): void {
    this.#open.delete(connection)
  }

  /** Resolves when a message of or to the host has passed the network. */
  async passage(host: Host, ms: number): Promise<void> {
    const { time } = this.#parts
    if (ms > 0) await new Promise<void>((resolve) => time.at(time.now + ms, resolve))
    while (host.link === 'hangs') await new Promise<void>((pass) => void this.#held.push({ host, pass }))
  }

  cut(host: Host, link: 'hangs' | 'refuses'): void {
    host.link = link
    if (link === 'refuses') this.reset(host)
  }

  /** What hung passes now. */
  heal(host: Host): void {
    host.link = 'up'
    for (const { pass } of this.#held.filter((one) => one.host === host)) pass()
    this.#held.splice(0, this.#held.length, ...this.#held.filter((one) => one.host !== host))
  }

  /** All its connections break; `atServer` as in `break`. */
  reset(host: Host, atServer = true): void {
    for (const connection of [...this.#open]) if (connection.host === host) connection.break(reset(), atServer)
  }

  /** The server restarts: all transactions end, and nothing that was not committed is stored. */
  resetAll(): void {
    for (const connection of [...this.#open]) connection.break(failure('57P01', 'stop'), true)
  }

  /** Lets the server keep its limits; call often. */
  keepLimits(): void {
    for (const connection of [...this.#open]) connection.keepLimits()
  }

  #within<T extends SimulatedConnection>(ms: number, work: Promise<T>): Promise<T> {
    const { time } = this.#parts
    return new Promise((resolve, reject) => {
      let isLate = false
      work.then((connection) => (isLate ? connection.release(false) : resolve(connection)), reject)
      time.at(time.now + ms, () => {
        isLate = true
        reject(late())
      })
    })
  }
}

interface ConnectionParts extends NetworkParts {
  readonly network: DatabaseNetwork
  readonly silenceMs: number
  readonly give: () => void
}

/** A connection for one transaction, whose limits the server keeps in virtual time. */
class SimulatedConnection implements Connection {
  readonly host: Host
  readonly #parts: ConnectionParts
  readonly #server: ServerConnection
  readonly #latencyMs: number
  readonly #broken = Promise.withResolvers<never>()
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #isReleased = false
  /** The server has a transaction of it. */
  #inTransaction = false
  /** World time of the last statement or answer at the server. */
  #movedAt: number
  #running = 0
  #limits = { idle: Number.POSITIVE_INFINITY, blocked: Number.POSITIVE_INFINITY }
  #isRead = false
  #fence: Transaction['fence'] = null

  constructor(parts: ConnectionParts, host: Host, server: ServerConnection) {
    this.host = host
    this.#parts = parts
    this.#server = server
    this.#movedAt = parts.time.now
    this.#latencyMs = parts.prng.pick(latencies)
    this.#broken.promise.catch(() => {})
  }

  query(query: Query): Promise<Answer> {
    const { text, values = [] } = query
    if (text.startsWith('begin')) {
      this.#isRead = text.includes('read only')
      this.#fence = null
      this.#limits = {
        idle: limitIn(text, 'idle_in_transaction_session_timeout'),
        blocked: Math.min(limitIn(text, 'lock_timeout'), limitIn(text, 'statement_timeout')),
      }
    }
    if (text.endsWith('for key share')) {
      const [tenant, owner, epoch] = values
      this.#fence = { tenant: Number(tenant), owner: String(owner), epoch: Number(epoch) }
    }
    const given = text.startsWith('begin') ? { text: text.replaceAll(/(?<=_timeout = )\d+/g, '0') } : query
    return this.#ask(() =>
      this.#parts.server.send(this.#server, given, async ({ command }) => {
        this.#inTransaction = text !== 'commit' && text !== 'rollback'
        const { host } = this
        if (command === 'COMMIT' && !this.#isRead) await this.#parts.committed({ host, fence: this.#fence })
      }),
    )
  }

  release(broken: boolean): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#parts.give()
    if (this.#isClosed) return
    if (!broken && !this.#inTransaction && this.#running === 0) {
      this.#close()
      this.#parts.server.reuse(this.#server)
    } else this.break(reset(), this.host.link === 'up')
  }

  /** @param atServer false = the server learns of it by its limits alone. What it has received is run before that. */
  break(error: Error, atServer: boolean): void {
    this.#broken.reject(error)
    this.#isClosed = true
    if (atServer || !this.#inTransaction) this.#rollBack()
  }

  keepLimits(): void {
    const still = this.#parts.time.now - this.#movedAt
    if (!this.#inTransaction) return
    if (this.#running > 0) {
      if (still >= this.#limits.blocked && this.#server.blocked !== null) void this.#parts.server.cancel(this.#server)
    } else if (still >= this.#limits.idle) {
      this.break(failure('25P03', 'terminating connection due to idle transaction'), true)
    }
  }

  #close(): void {
    this.#isClosed = true
    this.#parts.network.closed(this)
  }

  #rollBack(): void {
    this.#close()
    const { server } = this.#parts
    const cancelled = this.#server.blocked === null ? Promise.resolve() : server.cancel(this.#server)
    void cancelled
      .then(() => server.send(this.#server, { text: 'rollback' }))
      .then(() => server.reuse(this.#server))
      .catch(() => {})
  }

  #ask(run: () => Promise<Answer>): Promise<Answer> {
    this.host.burn('before')
    const exchanged = this.#exchange(run, this.#last)
    this.#last = exchanged.catch(() => {})
    return this.host.arrival(Promise.race([exchanged, this.#broken.promise, this.#silence(exchanged)]))
  }

  /** Rejects if the answer is not there in time, by the clock of the host. */
  async #silence(answer: Promise<unknown>): Promise<never> {
    const answered = new AbortController()
    const end = () => answered.abort()
    void answer.then(end, end)
    await this.host.clock.sleep(this.#parts.silenceMs, answered.signal)
    throw silent()
  }

  async #exchange(run: () => Promise<Answer>, before: Promise<unknown>): Promise<Answer> {
    // A process that is frozen here sends when it is awake again.
    await this.host.arrival(Promise.resolve())
    this.host.burn('sent')
    await this.#parts.network.passage(this.host, this.#latencyMs)
    await before
    if (this.#isClosed) return await this.#broken.promise
    const { time } = this.#parts
    this.#movedAt = time.now
    this.#running++
    try {
      return await run()
    } finally {
      this.#running--
      this.#movedAt = time.now
      await this.#parts.network.passage(this.host, this.#latencyMs)
    }
  }
}

function limitIn(text: string, setting: string): number {
  return Number(new RegExp(`${setting} = (\\d+)`).exec(text)?.[1] ?? Number.POSITIVE_INFINITY)
}
