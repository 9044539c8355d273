import { renderMirror } from '../metrics/metrics.ts'
import { exitCodes } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { addCommand } from './command.ts'
import { openMirror } from './support/configuration.ts'
import { writeAll } from './support/io.ts'

export const addMetrics = addCommand({
  name: 'metrics',
  summary: 'print the metrics of the mirror, for the textfile collector',
  help: `Moving the file into place keeps the collector from reading half of it.

Example:
  tenantwatch metrics > /var/lib/node_exporter/tenantwatch.new &&
    mv /var/lib/node_exporter/tenantwatch.new /var/lib/node_exporter/tenantwatch.prom`,
  async run({ io, command }) {
    await using opened = await openMirror(io, command)
    await writeAll(io, renderMirror(version, await opened.views.metrics()))
    return exitCodes.ok
  },
})
