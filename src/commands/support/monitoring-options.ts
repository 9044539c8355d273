import type { Command } from 'commander'
import { UsageError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import type { MonitoringInput } from '../../monitoring/monitoring.ts'
import { loadConfiguration } from './configuration.ts'
import {
  createMonitoringInput,
  defaultEvaluate,
  defaultGrafana,
  defaultJob,
  defaultRunbooks,
} from './monitoring-files.ts'

export interface MonitoringOptions {
  readonly defaults?: boolean
  readonly job: string
  readonly runbooks: string
  readonly grafana: string
}

/** The options that `rules` and `dashboards` share. */
export function addMonitoringOptions(command: Command): Command {
  return command
    .option('--defaults', 'use the default thresholds instead of the configuration')
    .option('--job <name>', 'label `job` of the scrapes', defaultJob)
    .option('--runbooks <url>', 'base URL of the runbooks', defaultRunbooks)
    .option('--grafana <url>', 'base URL of Grafana, for links to its dashboards', defaultGrafana)
}

/** @throws UsageError when the configuration or an option is invalid. */
export function monitoringInputOf(io: Io, command: Command, options: MonitoringOptions): MonitoringInput {
  const { job } = options
  if (!/^[\w./:-]{1,200}$/.test(job))
    throw new UsageError('--job may have letters, digits and the characters _ . / : - only')
  const links = {
    runbooks: address('--runbooks', options.runbooks),
    grafana: address('--grafana', options.grafana),
  }
  const settings = options.defaults
    ? { tenants: [], evaluate: defaultEvaluate }
    : loadConfiguration(io, command).settings
  return createMonitoringInput(settings, job, links)
}

function address(option: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[{}"'\s]/.test(given))
    throw new UsageError(`${option} must be an http or https address`)
  return given.replace(/\/+$/, '')
}
