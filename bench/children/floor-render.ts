import { readFileSync } from 'node:fs'
import { Gauge, Registry } from 'prom-client'
import { peakMiB, timed } from '../support/measure.ts'
import type { RenderFloorTask, Report } from '../support/reports.ts'
import { median } from '../support/statistics.ts'

/** What prom-client takes to render the same series when their values are at hand already. */
const task = JSON.parse(process.argv[2] ?? '') as RenderFloorTask

const series = /^(\w+)(?:\{(.*)\})? (\S+)$/
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

function registryOf(exposition: string): Registry {
  const registry = new Registry()
  const gauges = new Map<string, Gauge>()
  for (const line of exposition.split('\n')) {
    const [, name = '', labels = '', value = ''] = line.startsWith('#') ? [] : (series.exec(line) ?? [])
    if (name === '') continue
    const pairs = [...labels.matchAll(label)].map(([, key = '', text = '']) => [key, text] as const)
    const labelNames = pairs.map(([key]) => key)
    const gauge = gauges.get(name) ?? new Gauge({ name, help: name, labelNames, registers: [registry] })
    gauges.set(name, gauge)
    gauge.set(Object.fromEntries(pairs), Number(value.replace('Inf', 'Infinity')))
  }
  return registry
}

const registry = registryOf(readFileSync(task.exposition, 'utf8'))
const costs = []
for (let i = 0; i < task.times; i++) costs.push(await timed(() => registry.metrics()))
const cost = { wallMs: median(costs.map(({ wallMs }) => wallMs)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) }
process.send?.({ ...cost, peakMiB: peakMiB(), facts: {} } satisfies Report)
process.disconnect?.()
