import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { UsageError } from '../model/errors.ts'
import { makeFolder } from '../model/process/files.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { dashboard, dashboardIds, defaultJob, sqlDashboardIds } from '../monitoring/shipped.ts'
import { addCommand } from './command.ts'
import { loadConfiguration } from './support/configuration.ts'
import { oneOf } from './support/options.ts'
import { codeOf, writeFile } from './support/write-file.ts'

export const jobOption = () => new Option('--job <name>', 'label `job` of the scrapes').default(defaultJob)

/** @throws UsageError when it would need quoting in PromQL. */
export function jobOf({ job }: { readonly job: string }): string {
  if (!/^[\w./:-]{1,200}$/.test(job))
    throw new UsageError('--job may have letters, digits and the characters _ . / : - only')
  return job
}

export const allIds = [...dashboardIds, ...sqlDashboardIds]

export const addDashboards = addCommand<{ readonly job: string; readonly output?: string }>({
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
    const { output } = options
    const named = oneOf('dashboard', allIds, name)
    if (output === undefined) {
      io.stdout.write(dashboard(named ?? 'posture', job))
      return exitCodes.ok
    }
    const hasUrl = () => loadConfiguration(io, command).settings.store.path === null
    const ids = named === undefined ? (hasUrl() ? allIds : dashboardIds) : [named]
    try {
      makeFolder(resolve(io.cwd, output))
    } catch (error) {
      throw new UsageError(`--output cannot be created (${codeOf(error)}); expected the path of a folder`)
    }
    for (const id of ids) {
      const file = join(resolve(io.cwd, output), `tenantwatch-${id}.json`)
      await writeFile(io, { name: file, pieces: [dashboard(id, job)], mode: 0o666 })
      print(io, file)
    }
    return exitCodes.ok
  },
})
