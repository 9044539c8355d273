import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { dashboardIds } from '../monitoring/dashboard-ids.ts'
import { oneOf } from './support/configuration.ts'
import { addPackOptions, type PackOptions, packOf } from './support/monitoring-options.ts'
import { codeOf, insistOnOwn, unwritten } from './support/write-file.ts'

export function addDashboards(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const command = program
    .command('dashboards')
    .description('Grafana dashboards, made from the catalogue and the configuration')
    .argument('[dashboard]', `${dashboardIds.join(', ')}: written to standard output; posture when none is named`)
    .option('--output <folder>', 'writes all of them, a file each')
  addPackOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  tenantwatch dashboards posture > posture.json
  tenantwatch dashboards --output /var/lib/grafana/dashboards`,
    )
    .action(async (name: string | undefined, options: PackOptions & { readonly output?: string }, action: Command) => {
      await dashboards(io, name, options, action)
      done(exitCodes.ok)
    })
}

/** How a dashboard of ours begins; Grafana may have written it anew. */
const anyDashboard = /^\{.*"uid":\s*"tenantwatch-/s

async function dashboards(
  io: Io,
  name: string | undefined,
  options: PackOptions & { readonly output?: string },
  command: Command,
): Promise<void> {
  // Grafana's builders are large: a daemon that never writes a dashboard does not load them.
  const { writeDashboard } = await import('../monitoring/dashboards/render.ts')
  const pack = packOf(io, command, options)
  if (options.output === undefined) {
    io.stdout.write(writeDashboard(oneOf('dashboard', dashboardIds, name ?? 'posture'), pack))
    return
  }
  const folder = resolve(io.cwd, options.output)
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new UsageError(`--output cannot be made (${codeOf(error)}); want a folder`)
  })
  for (const id of dashboardIds) {
    const file = join(folder, `tenantwatch-${id}.json`)
    try {
      insistOnOwn(file, anyDashboard)
      await writeFile(file, writeDashboard(id, pack))
    } catch (error) {
      throw unwritten(file, error)
    }
    io.stdout.write(`${file}\n`)
  }
}
