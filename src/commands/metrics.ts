import type { Command } from 'commander'
import { metricsConfig } from '../daemon/metrics-config.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { version } from '../model/process/version.ts'
import { openMirror } from './support/configuration.ts'
import { writeAll } from './support/io.ts'

export function addMetrics(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('metrics')
    .description('print the metrics of the mirror, for the textfile collector')
    .addHelpText(
      'after',
      `
Moving the file into place keeps the collector from reading half of it.

Example:
  tenantwatch metrics > /var/lib/node_exporter/tenantwatch.new &&
    mv /var/lib/node_exporter/tenantwatch.new /var/lib/node_exporter/tenantwatch.prom`,
    )
    .action(async (_options: object, command: Command) => {
      await using opened = await openMirror(io, command)
      const { settings, views } = opened
      const config = metricsConfig(settings)
      const read = () => views.readings()
      const metrics = createMetrics({ version, startedAt: io.clock.now(), config, read, scope: 'mirror' })
      await writeAll(io, [await metrics.render()])
      done(exitCodes.ok)
    })
}
