import { readFileSync, statSync } from 'node:fs'
import { alternate } from '../support/alternate.ts'
import { perform } from '../support/child.ts'
import { product, scratch } from '../support/engine.ts'
import { writeConfig } from '../support/place.ts'
import { startProgram } from '../support/program.ts'
import type { ExportFloorTask, Report } from '../support/reports.ts'
import { type Benchmark, ratios } from '../support/result.ts'
import { worldOf } from '../support/world-of.ts'

const floor = 'floor: raw rows, JSON.stringify'

export const exportUsers: Benchmark = {
  name: 'export',
  about: 'every user of the mirror as a line of JSON in a file, the whole life of the process',
  async run(bench) {
    const { records, rounds } = bench.options
    const { store } = await bench.stores.fullySynced(worldOf(records))
    const output = scratch(bench, 'export.ndjson')
    const raw = async () => {
      const task: ExportFloorTask = { store, output }
      return perform<Report>(bench.programs.path['floor-export'], task)
    }
    const own = () =>
      bench.stores.on(store, async (copy) => {
        const config = writeConfig({ origin: bench.server.origin, store: copy })
        const probe = await startProgram(bench, { args: ['export', 'users'], config, output }).ended
        if (probe === null) throw new Error('The export was not probed')
        const { wallMs, cpuMs, peakMiB } = probe
        return { wallMs, cpuMs, peakMiB, facts: { bytes: statSync(output).size } }
      })
    const subjects = [
      { name: floor, run: raw },
      { name: product, run: own },
    ]
    const rows = await alternate(rounds, subjects, records)
    const lines = readFileSync(output, 'latin1').split('\n').length - 1
    if (lines !== records) throw new Error(`The export has ${lines} lines, not ${records}`)
    return { rows, against: floor, facts: ratios(rows, product, floor) }
  },
}
