import { Option } from 'commander'
import { localAddress } from '../config/values.ts'
import { FatalError } from '../model/errors.ts'
import { whyNotListening } from '../model/process/address.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { addCommand } from './command.ts'
import { untilStopped } from './support/io.ts'
import { portNumber, wholeNumber } from './support/options.ts'

interface SimulateOptions {
  readonly port: number
  readonly controlPort: number
  readonly host: string
  readonly users: number
  readonly documents: number
  readonly seed: string
  readonly liveSeconds: number
}

/** Words a listen error; returns other errors unchanged. */
function notListening(error: unknown, host: string): unknown {
  const cause = error as NodeJS.ErrnoException & { readonly port?: number }
  if (cause.syscall === undefined) return error
  const where = cause.port === undefined ? host : `${host}:${cause.port}`
  const advice = cause.port === undefined ? '--host' : '--port or --control-port'
  return new FatalError(`Cannot listen on ${where}: ${whyNotListening(cause)}; change ${advice}`, { cause })
}

export const addSimulate = addCommand<SimulateOptions>({
  name: 'simulate',
  isConfigured: false,
  summary: 'run a simulated tenant API, for demos, tests and integrators',
  options: [
    new Option('--host <address>', 'address to listen on').default('127.0.0.1'),
    new Option('--port <n>', 'port of the API, 0 = any').argParser(portNumber).default(9470),
    new Option('--control-port <n>', 'port of the control API (data and faults), 0 = any')
      .argParser(portNumber)
      .default(9471),
    new Option('--users <n>', 'users of the first tenant').argParser(wholeNumber).default(250),
    new Option('--documents <n>', 'documents of the first tenant').argParser(wholeNumber).default(120),
    new Option('--seed <text>', 'the same seed makes the same tenant, its dates counted from the start').default(
      'tenantwatch',
    ),
    new Option('--live-seconds <n>', 'seconds between changes of the simulated data; 0 = no changes')
      .argParser(wholeNumber)
      .default(0),
  ],
  help: `GET on the control URL lists its actions with examples, and the values of faults,
tokens and changes.

Examples:
  tenantwatch simulate
  tenantwatch simulate --port 8080 --users 100000 --live-seconds 30
  curl -X POST http://127.0.0.1:9471/faults -d '{"path":"/api/public/users","effect":{"kind":"status","status":500}}'
  curl -X DELETE http://127.0.0.1:9471/faults`,
  async run({ io, options }) {
    // Imported on demand: the daemon does not need the simulator.
    const { describeSimulator, startSimulator } = await import('../simulator/index.ts')
    const { users, documents, liveSeconds, ...rest } = options
    await using simulator = await startSimulator({
      ...rest,
      sizes: { users, documents },
      clock: () => io.clock.now(),
      liveEveryMs: liveSeconds === 0 ? null : liveSeconds * 1000,
    }).catch((error: unknown) => {
      throw notListening(error, options.host)
    })
    for (const line of describeSimulator(simulator)) print(io, line)
    // Of this machine, which needs no TLS.
    const baseUrl = `http://${localAddress({ host: options.host, port: Number(new URL(simulator.baseUrl).port) })}`
    print(
      io,
      `\nTo read it, in a second terminal:\n  TENANTWATCH_BASE_URL=${baseUrl} TENANTWATCH_TOKEN=${simulator.tokens.reader} \\\n    tenantwatch sync`,
    )
    await untilStopped(io)
    return exitCodes.ok
  },
})
