import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '../../../support/temporary.ts'

export type Call = 'pwrite64' | 'fsync'

/** The fault injected into one call, or into it and all later ones. */
export interface Injection {
  readonly call: Call
  readonly when: number
  readonly onwards?: boolean
  readonly effect: 'kill' | 'ENOSPC' | 'EIO'
}

export interface Traced {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** The traced calls, one a line, as strace shows them. */
  readonly calls: readonly string[]
}

export interface Command {
  readonly bundle: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
}

/** SQLite syncs by `fsync` or `fdatasync`, as it was built. */
const syncs = 'fsync,fdatasync'

/** True where a process can be traced and a file system mounted. */
export const canInject = process.getuid?.() === 0 && spawnSync('strace', ['-V']).status === 0

/** Runs the program with all its threads under strace, with the given fault injection. */
export async function traced({ bundle, folder, env, args }: Command, injection?: Injection): Promise<Traced> {
  const log = join(temporaryFolder(), 'calls')
  const how = injection === undefined ? [] : ['-e', `inject=${injected(injection)}`]
  // Faster, but strace 6.1 loses injected signals with it.
  const fast = injection?.effect === 'kill' ? [] : ['--seccomp-bpf']
  const watched = ['-f', ...fast, '-qq', '-y', '-xx', '-s', '24', '-e', `trace=pwrite64,${syncs}`, ...how, '-o', log]
  const child = spawn('strace', [...watched, process.execPath, bundle, ...args], {
    cwd: folder,
    env: { ...env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  ])
  const calls = readFileSync(log, 'utf8').split('\n')
  return { code, signal, stdout, stderr, calls }
}

/** Number of calls of each kind in the trace. */
export function countOf({ calls }: Traced): Record<Call, number> {
  const count = (name: string) => calls.filter((line) => line.includes(`${name}(`)).length
  return { pwrite64: count('pwrite64'), fsync: count('fsync') + count('fdatasync') }
}

function injected({ call, when, onwards = false, effect }: Injection): string {
  const names = call === 'fsync' ? syncs : call
  const what = effect === 'kill' ? 'signal=SIGKILL' : `error=${effect}`
  return `${names}:${what}:when=${when}${onwards ? '+' : ''}`
}
