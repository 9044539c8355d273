import type { Clock, Random } from '../clock.ts'

export interface Output {
  write(text: string): boolean
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }

export interface Io {
  /** Opens standard input; absent if nobody can answer. */
  readonly stdin?: () => Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly clock: Clock
  readonly random: Random
  /** Aborted by SIGTERM and SIGINT, and by SIGHUP unless the command reloads on it. */
  readonly stop: AbortSignal
  readonly onReload: (callback: () => void) => void
}

/** Exit codes of commands (docs/daily-work.md#exit-codes). */
export const exitCodes = { ok: 0, findings: 1, usage: 2, failed: 3 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export function print({ stdout }: Io, text: string): void {
  stdout.write(`${text}\n`)
}
