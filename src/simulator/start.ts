import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerControl } from './control.ts'
import { tokenNames } from './seed-access.ts'
import { exchange, tokenPath } from './service.ts'
import { createService } from './simulator.ts'
import { breakOff, listen, repeatedly, requestOf, stopListening, writeReply } from './wire.ts'
import type { WorldOptions } from './world.ts'

export interface SimulatorOptions extends WorldOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Port of the API; 0 (default) = a free one. */
  readonly port?: number
  /** Port of the control API; 0 (default) = a free one, null = none. */
  readonly controlPort?: number | null
  /** Milliseconds between steps; default null = only explicit `live` calls. */
  readonly liveEveryMs?: number | null
}

export type Simulator = Awaited<ReturnType<typeof startSimulator>>

/**
 * Starts the simulated tenant API on sockets. Rejects when a port is taken. Times are epoch milliseconds of `clock`.
 */
export async function startSimulator(options: SimulatorOptions = {}) {
  const { host = '127.0.0.1', port = 0, controlPort = 0, liveEveryMs = null } = options
  const service = createService(options)
  const { world } = service
  const ending = new AbortController()

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { record, reply, wire } = await exchange(world, await requestOf(incoming), ending.signal)
    let status: number | null = null
    try {
      if (wire !== undefined) await breakOff(response, reply ?? nothing, wire)
      else if (reply !== null) {
        writeReply(response, reply)
        status = reply.status
      }
    } finally {
      world.requests.finish(record, status)
    }
  }

  const api = await listen(
    // A client may disconnect, or the simulator close.
    (incoming, response) => void serve(incoming, response).catch(() => response.destroy()),
    host,
    port,
  )
  const control = controlPort === null ? null : await listen(serveControl, host, controlPort).catch(refuse)
  const timer = liveEveryMs === null ? undefined : repeatedly(() => service.live(), liveEveryMs)

  function serveControl(incoming: IncomingMessage, response: ServerResponse): void {
    const answered = requestOf(incoming).then((request) => answerControl(service, request))
    answered.then((reply) => writeReply(response, reply)).catch(() => response.destroy())
  }

  async function refuse(error: unknown): Promise<never> {
    await stopListening(api.server)
    throw error
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    ending.abort()
    await Promise.all([api, control].map((one) => one && stopListening(one.server)))
  }

  return Object.assign(service, {
    baseUrl: api.url,
    /** Null without a control API. */
    controlUrl: control?.url ?? null,
    tokenUrl: `${api.url}${tokenPath}`,
    close,
    [Symbol.asyncDispose]: close,
  })
}

const nothing = { status: 0, headers: {}, body: Buffer.alloc(0) }

/** What a terminal shows of a started simulator: addresses, sizes, tokens and client ids. */
export function describeSimulator(simulator: Simulator): string[] {
  const { baseUrl, controlUrl, tokenUrl, tokens, credentials, readings, primary, second } = simulator
  const scheme = readings.tokenScheme === '' ? '' : `${readings.tokenScheme} `
  const sizes = [primary, second].map(
    ({ name, users, documents }) => `${name}: ${users.records.size} users, ${documents.records.size} documents`,
  )
  return [
    `Base URL     ${baseUrl}`,
    `Control URL  ${controlUrl ?? 'none'}`,
    `Token URL    ${tokenUrl}`,
    `Header       ${readings.tokenHeader}: ${scheme}<token>`,
    `Tenants      ${sizes.join('; ')}`,
    'Tokens and their tenants (reader for a first configuration)',
    ...tokenNames.map((name) => `  ${name.padEnd(20)} ${tokens[name]} ${credentials[name].tenant}`),
    'Client ids of their API clients (for ownClientId)',
    ...tokenNames.map((name) => `  ${`${name}.clientId`.padEnd(28)} ${credentials[name].clientId}`),
  ]
}
