import { runProgram } from '../../src/commands/program.ts'
import type { ExitCode, Io } from '../../src/model/process/io.ts'

/** The moment every world of commands starts at. */
export const startTime = Date.parse('2026-03-01T12:00:00Z')

export interface Ran {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  /** Variables the program sees. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly folder: string
}

/** In milliseconds. A longer wait, as for a threshold of days, ends only when it is aborted. */
const longestJump = 26 * 3_600_000

/** The world of commands with a clock of its own, which jumps over waits. */
export function fakeIo({ env, folder }: Surroundings) {
  let time = startTime
  const io = () => {
    const out = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof out) => ({
      write(text: string) {
        out[name] += text
        return true
      },
    })
    const one: Io = {
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      env,
      cwd: folder,
      clock: {
        now: () => time,
        monotonic: () => time - startTime,
        async sleep(ms, signal) {
          signal?.throwIfAborted()
          await new Promise((resolve) => setImmediate(resolve))
          if (ms > longestJump) await new Promise((_, reject) => signal?.addEventListener('abort', reject))
          time += Math.max(0, ms)
        },
      },
      random: () => 0.5,
      stop: new AbortController().signal,
      onReload: () => {},
    }
    return { io: one, out }
  }
  return {
    now: () => time,
    /** Lets time pass. */
    pass(ms: number) {
      time += ms
    },
    /** A world whose output is kept apart from that of others. */
    io,
    /** Runs the program, with parts of another world, e.g. another stop signal. */
    async runWith(other: Partial<Io>, ...args: readonly string[]): Promise<Ran> {
      const { io: own, out } = io()
      const code = await runProgram(args, { ...own, ...other })
      return { code, ...out }
    },
  }
}
