import { readFileSync, writeSync } from 'node:fs'
import type { Report } from '../support/measured-process.ts'

/**
 * Loaded into a measured process before its program. Writes a reading to file descriptor 3 on SIGUSR2 and when the process
 * ends.
 *
 * Delays of the event loop have two measures: the clock, and the CPU time of the thread, which other work on the machine
 * does not lengthen. `monitorEventLoopDelay` has only the first, and misses the delay while the program is loaded.
 */
const everyMs = 20
/** Clock ticks of `/proc/PID/stat` are 10 ms on every Linux. */
const tickMs = 10

let longest = { ms: 0, cpuMs: 0 }
let previous = { at: 0, cpuMs: 0 }

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function measureDelay(): void {
  const now = { at: performance.now(), cpuMs: threadCpuMs() }
  longest = {
    ms: Math.max(longest.ms, now.at - previous.at - everyMs),
    cpuMs: Math.max(longest.cpuMs, now.cpuMs - previous.cpuMs),
  }
  previous = now
}

/** CPU time of child processes that have ended: fields 16 and 17 of proc_pid_stat(5), counted after the name. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * tickMs
}

function statusMiB(name: string): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}

function report(): void {
  const { user, system } = process.cpuUsage()
  const reading: Report = {
    cpuMs: (user + system) / 1000 + childrenCpuMs(),
    rssMiB: statusMiB('VmRSS'),
    // Not `maxRSS` of `getrusage`, which begins with the memory of the parent that the process was forked from.
    peakMiB: statusMiB('VmHWM'),
    longestDelayMs: longest.ms,
    longestDelayCpuMs: longest.cpuMs,
  }
  longest = { ms: 0, cpuMs: 0 }
  writeSync(3, `${JSON.stringify(reading)}\n`)
}

setInterval(measureDelay, everyMs).unref()
process.on('SIGUSR2', report)
process.on('exit', report)
