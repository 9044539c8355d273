import type { Command } from 'commander'
import { FatalError } from '../model/errors.ts'
import { whyNotListening } from '../model/process/address.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { untilStopped } from './support/io.ts'
import { portNumber, repeatable, wholeNumber } from './support/options.ts'
import { describeReadings, readReadings } from './support/simulator-readings.ts'

interface SimulateOptions {
  readonly port: number
  readonly controlPort: number
  readonly host: string
  readonly users: number
  readonly documents: number
  readonly seed: string
  readonly liveSeconds: number
  readonly reading: readonly string[]
}

/** Words a listen error; returns other errors unchanged. */
function notListening(error: unknown, host: string): unknown {
  const cause = error as NodeJS.ErrnoException & { readonly port?: number }
  if (cause.syscall === undefined) return error
  const where = cause.port === undefined ? host : `${host}:${cause.port}`
  const advice = cause.port === undefined ? '--host' : '--port or --control-port'
  return new FatalError(`Cannot listen on ${where}: ${whyNotListening(cause)}; change ${advice}`, { cause })
}

export function addSimulate(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('simulate')
    .description('run a simulated tenant API, for demos, tests and integrators')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port of the API, 0 = any', portNumber, 9470)
    .option('--control-port <n>', 'port of the control API (data and faults), 0 = any', portNumber, 9471)
    .option('--users <n>', 'users of the first tenant', wholeNumber, 250)
    .option('--documents <n>', 'documents of the first tenant', wholeNumber, 120)
    .option('--seed <text>', 'the same seed makes the same tenant, its dates counted from the start', 'tenantwatch')
    .option('--live-seconds <n>', 'seconds between changes of the simulated data; 0 = no changes', wholeNumber, 0)
    .addOption(
      repeatable('--reading <name=value>', 'interpretation of an open point of the specification, listed below'),
    )
    .addHelpText(
      'after',
      `
GET on the control URL lists its actions with examples, and the values of faults, tokens and changes.

A reading is an answer to an open point of the specification (docs/internals/api.md#open-points lists the main ones). Each with its
values and, in parentheses, the default; FEED is users, documents or apiClients:
${describeReadings()}

Examples:
  tenantwatch simulate
  tenantwatch simulate --port 8080 --users 100000 --live-seconds 30
  tenantwatch simulate --reading tokenHeader=x-api-key --reading 'cursorKind={"users":"offset"}'
  curl -X POST http://127.0.0.1:9471/faults -d '{"path":"/api/public/users","effect":{"kind":"status","status":500}}'
  curl -X DELETE http://127.0.0.1:9471/faults`,
    )
    .action(async (options: SimulateOptions) => {
      // Imported on demand: the daemon does not need the simulator.
      const { describeSimulator, startSimulator } = await import('../simulator/index.ts')
      const { users, documents, liveSeconds, reading, ...rest } = options
      const readings = readReadings(reading)
      await using simulator = await startSimulator({
        ...rest,
        sizes: { users, documents },
        readings,
        clock: () => io.clock.now(),
        liveEveryMs: liveSeconds === 0 ? null : liveSeconds * 1000,
      }).catch((error: unknown) => {
        throw notListening(error, options.host)
      })
      for (const line of describeSimulator(simulator)) print(io, line)
      // Other readings may need more than two variables.
      if (reading.length === 0)
        print(
          io,
          `\nTo read it, in a second terminal:\n  TENANTWATCH_BASE_URL=${simulator.baseUrl} TENANTWATCH_TOKEN=${simulator.tokens.reader} \\\n    tenantwatch sync`,
        )
      await untilStopped(io)
      done(exitCodes.ok)
    })
}
