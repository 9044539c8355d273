import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { product } from '../support/engine.ts'
import { statusMiB } from '../support/measure.ts'
import { writeConfig } from '../support/place.ts'
import { startDaemon, untilReady } from '../support/program.ts'
import type { Benchmark, Row } from '../support/result.ts'
import { median } from '../support/statistics.ts'
import { worldOf } from '../support/world-of.ts'

const records = 1000
const seconds = 10

export const idle: Benchmark = {
  name: 'idle',
  about: `the daemon with ${records} users, after everything was read and evaluated, scraped each second for ${seconds} s`,
  run: (bench) =>
    bench.stores.on(null, async (store) => {
      await bench.server.become(worldOf(records))
      await using daemon = await startDaemon(bench, writeConfig({ origin: bench.server.origin, store }), {
        probed: false,
      })
      await untilReady(daemon)
      const rss: number[] = []
      for (let i = 0; i < seconds; i++) {
        await pause(1000)
        await daemon.get('/metrics')
        rss.push(statusMiB(daemon.pid, 'VmRSS'))
      }
      const peakMiB = statusMiB(daemon.pid, 'VmHWM')
      const anonymous = statusMiB(daemon.pid, 'RssAnon')
      const cpuMs = cpuMsOf(daemon.pid)
      const wallMs = performance.now() - daemon.startedAt
      daemon.stop()
      await daemon.ended
      return {
        rows: [await nodeAlone(bench.options.flags), { name: product, wallMs, cpuMs, peakMiB }],
        against: null,
        facts: { 'resident MiB': median(rss), 'of it anonymous MiB': anonymous, 'peak MiB': peakMiB },
      }
    }),
}

/** Node with nothing to do. */
async function nodeAlone(flags: readonly string[]): Promise<Row> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, '-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  await pause(1000)
  const pid = child.pid ?? 0
  const row = { name: 'floor: Node itself', cpuMs: cpuMsOf(pid), peakMiB: statusMiB(pid, 'VmHWM') }
  child.kill()
  await once(child, 'exit')
  return { ...row, wallMs: performance.now() - startedAt }
}

/** Processor time of a process by its clock ticks, of which a second has a hundred. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
