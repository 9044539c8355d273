import type { Command } from 'commander'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { renderInhibitions } from '../monitoring/inhibitions.ts'
import { renderRules } from '../monitoring/rules.ts'
import { addMonitoringOptions, type MonitoringOptions, monitoringInputOf } from './support/monitoring-input.ts'
import { oneOf } from './support/options.ts'

const formats = ['prometheus', 'operator', 'alertmanager'] as const

export function addRules(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const command = program
    .command('rules')
    .description('write alert and recording rules with the thresholds of the configuration')
    .option('--format <format>', formats.join(', '), 'prometheus')
  addMonitoringOptions(command)
    .addHelpText(
      'after',
      `
--format alertmanager writes the inhibition rules of the alerts.

Examples:
  tenantwatch rules > /etc/prometheus/rules/tenantwatch.yml
  tenantwatch rules --format operator | kubectl apply -f -`,
    )
    .action((options: MonitoringOptions & { readonly format: string }, action: Command) => {
      const format = oneOf('format', formats, options.format)
      io.stdout.write(
        format === 'alertmanager' ? renderInhibitions() : renderRules(monitoringInputOf(io, action, options), format),
      )
      done(exitCodes.ok)
    })
}
