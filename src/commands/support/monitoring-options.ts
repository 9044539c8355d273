import type { Command } from 'commander'
import { UsageError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import type { Pack } from '../../monitoring/monitoring.ts'
import { loadConfiguration } from './configuration.ts'
import { createPack, defaultEvaluate, defaultGrafana, defaultJob, defaultRunbooks } from './monitoring-files.ts'

export interface PackOptions {
  readonly defaults?: boolean
  readonly job: string
  readonly runbooks: string
  readonly grafana: string
}

/** The options that `rules` and `dashboards` share. */
export function addPackOptions(command: Command): Command {
  return command
    .option('--defaults', 'the defaults of the catalogue instead of the configuration')
    .option('--job <name>', 'value of the label `job` of the scrapes', defaultJob)
    .option('--runbooks <url>', 'folder of the runbooks', defaultRunbooks)
    .option('--grafana <url>', 'address of Grafana, for links to its dashboards', defaultGrafana)
}

/** @throws UsageError when the configuration is bad, or an option would break the rules it is written into. */
export function packOf(io: Io, command: Command, options: PackOptions): Pack {
  const { job } = options
  if (!/^[\w./:-]{1,200}$/.test(job))
    throw new UsageError('--job must be a label value of letters, digits and the signs _ . / : - only')
  const links = {
    runbooks: address('--runbooks', options.runbooks),
    grafana: address('--grafana', options.grafana),
  }
  const settings = options.defaults
    ? { tenants: [], evaluate: defaultEvaluate }
    : loadConfiguration(io, command).settings
  return createPack(settings, job, links)
}

function address(option: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[{}"'\s]/.test(given))
    throw new UsageError(`${option} must be an http or https address`)
  return given.replace(/\/+$/, '')
}
