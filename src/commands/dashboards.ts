import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { makeFolder } from '../model/process/make-folder.ts'
import { dashboardIds, sqlDashboardIds } from '../monitoring/dashboard-ids.ts'
import { loadConfiguration } from './support/configuration.ts'
import { addMonitoringOptions, type MonitoringOptions, monitoringInputOf } from './support/monitoring-input.ts'
import { oneOf } from './support/options.ts'
import { assertReplaceable, codeOf, unwritten } from './support/write-file.ts'

export const allIds = [...dashboardIds, ...sqlDashboardIds]

export function addDashboards(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const command = program
    .command('dashboards')
    .description('write Grafana dashboards for the configuration')
    .argument('[dashboard]', `${allIds.join(', ')}: default posture, with --output all of them`)
    .option('--output <folder>', 'write into this folder; without a name, records only if store.url is configured')
  addMonitoringOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  tenantwatch dashboards posture > posture.json
  tenantwatch dashboards --output /var/lib/grafana/dashboards`,
    )
    .action(
      async (name: string | undefined, options: MonitoringOptions & { readonly output?: string }, action: Command) => {
        await dashboards(io, name, options, action)
        done(exitCodes.ok)
      },
    )
}

/** Matches a dashboard of tenantwatch, also one saved by Grafana. */
const anyDashboard = /^\{.*"uid":\s*"tenantwatch-/s

async function dashboards(
  io: Io,
  name: string | undefined,
  options: MonitoringOptions & { readonly output?: string },
  command: Command,
): Promise<void> {
  // Imported on demand: Grafana's builders are large.
  const { writeDashboard } = await import('../monitoring/dashboards/render.ts')
  const input = monitoringInputOf(io, command, options)
  if (options.output === undefined) {
    io.stdout.write(writeDashboard(oneOf('dashboard', allIds, name ?? 'posture'), input))
    return
  }
  const folder = resolve(io.cwd, options.output)
  try {
    makeFolder(folder)
  } catch (error) {
    throw new UsageError(`--output cannot be created (${codeOf(error)}); expected the path of a folder`)
  }
  const hasViews = options.defaults === true || loadConfiguration(io, command).settings.store.path === null
  const wanted = name === undefined ? (hasViews ? allIds : dashboardIds) : [oneOf('dashboard', allIds, name)]
  for (const id of wanted) {
    const file = join(folder, `tenantwatch-${id}.json`)
    try {
      assertReplaceable(file, anyDashboard)
      await writeFile(file, writeDashboard(id, input))
    } catch (error) {
      throw unwritten(file, error)
    }
    io.stdout.write(`${file}\n`)
  }
}
