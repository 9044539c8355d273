import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Option } from 'commander'
import type { Settings } from '../config/settings.ts'
import { UsageError } from '../model/errors.ts'
import { makeFolder } from '../model/process/files.ts'
import { exitCodes } from '../model/process/io.ts'
import { dashboard, dashboardIds, sqlDashboardIds } from '../monitoring/shipped.ts'
import { addCommand } from './command.ts'
import { jobOf, jobOption } from './support/alert-options.ts'
import { loadConfiguration } from './support/configuration.ts'
import { oneOf } from './support/options.ts'
import { assertReplaceable, codeOf, unwritten } from './support/write-file.ts'

interface DashboardsOptions {
  readonly job: string
  readonly output?: string
}

export const allIds = [...dashboardIds, ...sqlDashboardIds]

/** Matches a dashboard of tenantwatch, also one saved by Grafana. */
const anyDashboard = /^\{.*"uid":\s*"tenantwatch-/s

export const addDashboards = addCommand<DashboardsOptions>({
  name: 'dashboards',
  argument: ['[dashboard]', `${allIds.join(', ')}: default posture, with --output all of them`],
  summary: 'write the dashboards for Grafana',
  options: [
    new Option('--output <folder>', 'write into this folder; without a name, records only if store.url is configured'),
    jobOption(),
  ],
  help: `Examples:
  tenantwatch dashboards posture > posture.json
  tenantwatch dashboards --output /var/lib/grafana/dashboards`,
  async run({ io, command, options, args: [name] }) {
    const job = jobOf(options)
    if (options.output === undefined) {
      io.stdout.write(dashboard(oneOf('dashboard', allIds, name ?? 'posture'), job))
      return exitCodes.ok
    }
    const ids =
      name === undefined ? idsFor(loadConfiguration(io, command).settings) : [oneOf('dashboard', allIds, name)]
    const folder = resolve(io.cwd, options.output)
    try {
      makeFolder(folder)
    } catch (error) {
      throw new UsageError(`--output cannot be created (${codeOf(error)}); expected the path of a folder`)
    }
    for (const id of ids) {
      const file = join(folder, `tenantwatch-${id}.json`)
      try {
        assertReplaceable(file, anyDashboard)
        await writeFile(file, dashboard(id, job))
      } catch (error) {
        throw unwritten(file, error)
      }
      io.stdout.write(`${file}\n`)
    }
    return exitCodes.ok
  },
})

function idsFor({ store }: Settings) {
  return store.path === null ? allIds : dashboardIds
}
