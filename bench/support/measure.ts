import { readFileSync } from 'node:fs'

/** What a piece of work took of this process: time on the wall, and of the processor in user and system mode. */
export interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Measures one piece of work. */
export async function timed<T>(work: () => Promise<T> | T): Promise<Cost & { readonly value: T }> {
  const cpu = process.cpuUsage()
  const began = performance.now()
  const value = await work()
  const wallMs = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return { value, wallMs, cpuMs: (user + system) / 1000 }
}

/**
 * Greatest resident memory of this process in MiB. Where there is /proc it is read there: what `getrusage` says of a
 * child begins with the memory of the parent that it was forked from.
 */
export function peakMiB(): number {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    if (kib !== undefined) return Number(kib) / 1024
  } catch {
    // Not on this system.
  }
  return process.resourceUsage().maxRSS / 1024
}

/** A size of a process as Linux gives it, such as `VmRSS`. */
export function statusMiB(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? Number.NaN) / 1024
}

/** Clock ticks a second of `/proc/PID/stat`, on every Linux. */
const ticks = 100

/** Processor time that a process has used so far, in steps of 10 ms. */
export function cpuMsOf(pid: number): number {
  // After the name, which may contain spaces: state is the first field, utime the twelfth (proc_pid_stat(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks
}
