import { runProgram } from '../../../../src/commands/program.ts'
import type { Io } from '../../../../src/model/process/io.ts'
import { systemClock } from '../../../../src/model/process/system-clock.ts'

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command within this process, from the same sources: cheap, for what comes after the crash. */
export async function inside(
  env: Readonly<Record<string, string>>,
  cwd: string,
  ...args: string[]
): Promise<CliResult> {
  const out = { stdout: '', stderr: '' }
  const sink = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      out[name] += text
      return true
    },
  })
  const io: Io = {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env,
    cwd,
    clock: systemClock(),
    random: Math.random,
    stop: new AbortController().signal,
    onReload: () => {},
  }
  return { code: await runProgram(args, io), ...out }
}
