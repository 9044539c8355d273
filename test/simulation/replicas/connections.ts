import { secondMs } from '../../../src/model/durations.ts'
import type { Answer, Session, Sessions } from '../../../src/store/postgres/session.ts'
import type { AnyStatement } from '../../../src/store/postgres/statement.ts'
import { DriverError } from '../../../src/store/db/postgres/store-error.ts'
import type { Prng } from '../prng.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { DatabaseServer, ServerConnection } from './database-server.ts'
import type { Host } from './host.ts'

/** As `src/store/postgres/pool.ts` has it. */
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

const reset = () => new DriverError({ code: 'ECONNRESET', message: 'read ECONNRESET' })
const refused = () => new DriverError({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' })
const late = () => new DriverError({ message: 'timeout exceeded when trying to connect' })

/** The network between hosts and the database server. */
export class DatabaseNetwork {
  readonly #parts: NetworkParts
  readonly #open = new Set<Connection>()
  readonly #held: { readonly host: Host; readonly pass: () => void }[] = []

  constructor(parts: NetworkParts) {
    this.#parts = parts
  }

  /** Connections of a process, so many at a time. */
  sessionsOf(host: Host, most: number): Sessions {
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
        const connection = new Connection(this.#parts, this, host, await this.#parts.server.connect(), give)
        this.#open.add(connection)
        return connection
      } catch (error) {
        give()
        throw error
      }
    }
    return {
      take: () => {
        const isQuick = taken < most && host.link !== 'hangs'
        return host.arrival(isQuick ? connect() : this.#within(connectMs, connect()))
      },
      async [Symbol.asyncDispose]() {},
    }
  }

  closed(connection: Connection): void {
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
    for (const connection of [...this.#open])
      connection.break(new DriverError({ code: '57P01', message: 'stop' }), true)
  }

  /** Lets the server keep its limits; call often. */
  keepLimits(): void {
    for (const connection of [...this.#open]) connection.keepLimits()
  }

  #within<T extends Connection>(ms: number, work: Promise<T>): Promise<T> {
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

/** A connection for one transaction, whose limits the server keeps in virtual time. */
class Connection implements Session {
  readonly host: Host
  readonly #parts: NetworkParts
  readonly #network: DatabaseNetwork
  readonly #server: ServerConnection
  readonly #give: () => void
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
  #idleMs = Number.POSITIVE_INFINITY
  #statementMs = Number.POSITIVE_INFINITY
  #isRead = false
  #fence: Transaction['fence'] = null

  constructor(parts: NetworkParts, network: DatabaseNetwork, host: Host, server: ServerConnection, give: () => void) {
    this.host = host
    this.#parts = parts
    this.#network = network
    this.#server = server
    this.#give = give
    this.#movedAt = parts.time.now
    this.#latencyMs = parts.prng.pick(latencies)
    this.#broken.promise.catch(() => {})
  }

  send(statement: AnyStatement, params: readonly unknown[]): Promise<Answer> {
    const { text } = statement
    if (text.startsWith('begin')) {
      this.#isRead = text.includes('read only')
      this.#fence = null
    }
    if (text.includes('for key share')) {
      const [tenant, owner, epoch] = params
      this.#fence = { tenant: Number(tenant), owner: String(owner), epoch: Number(epoch) }
    }
    // Virtual time has these limits instead.
    const isLimits = text.includes(`set_config('statement_timeout'`)
    if (isLimits) [this.#statementMs = 0, this.#idleMs = 0] = params.map(Number)
    const given = isLimits ? ['0', '0', ...params.slice(2)] : params
    return this.#ask(() =>
      this.#parts.server.send(this.#server, statement, given, async ({ command }) => {
        this.#inTransaction = text !== 'commit'
        const { host } = this
        if (command === 'COMMIT' && !this.#isRead) await this.#parts.committed({ host, fence: this.#fence })
      }),
    )
  }

  sendText(text: string): Promise<Answer> {
    return this.#ask(async () => {
      const answer = await this.#parts.server.sendText(this.#server, text)
      this.#inTransaction = text !== 'rollback'
      return answer
    })
  }

  release(broken: boolean): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#give()
    if (this.#isClosed) return
    if (!broken && !this.#inTransaction && this.#running === 0) {
      this.#close()
      this.#parts.server.reuse(this.#server)
    } else this.break(reset(), this.host.link === 'up')
  }

  /** @param atServer false = the server learns of it by its limits alone. What it has received is run before that. */
  break(error: DriverError, atServer: boolean): void {
    this.#broken.reject(error)
    this.#isClosed = true
    if (atServer || !this.#inTransaction) this.#rollBack()
  }

  keepLimits(): void {
    const still = this.#parts.time.now - this.#movedAt
    if (!this.#inTransaction) return
    if (this.#running > 0) {
      if (still >= this.#statementMs && this.#server.blocked !== null) void this.#parts.server.cancel(this.#server)
    } else if (still >= this.#idleMs) {
      this.break(new DriverError({ code: '25P03', message: 'terminating connection due to idle transaction' }), true)
    }
  }

  #close(): void {
    this.#isClosed = true
    this.#network.closed(this)
  }

  #rollBack(): void {
    this.#close()
    const { server } = this.#parts
    const cancelled = this.#server.blocked === null ? Promise.resolve() : server.cancel(this.#server)
    void cancelled
      .then(() => server.sendText(this.#server, 'rollback'))
      .then(() => server.reuse(this.#server))
      .catch(() => {})
  }

  #ask(run: () => Promise<Answer>): Promise<Answer> {
    this.host.burn('before')
    const exchanged = this.#exchange(run, this.#last)
    this.#last = exchanged.catch(() => {})
    return this.host.arrival(Promise.race([exchanged, this.#broken.promise]))
  }

  async #exchange(run: () => Promise<Answer>, before: Promise<unknown>): Promise<Answer> {
    // A process that is frozen here sends when it is awake again.
    await this.host.arrival(Promise.resolve())
    this.host.burn('sent')
    await this.#network.passage(this.host, this.#latencyMs)
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
      await this.#network.passage(this.host, this.#latencyMs)
    }
  }
}
