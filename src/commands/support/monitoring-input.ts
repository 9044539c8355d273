import type { Command } from 'commander'
import { checks } from '../../checks/index.ts'
import type { CheckSettings, Settings, TenantSettings } from '../../config/settings.ts'
import { settingsOf, severitiesOf } from '../../evaluate/check-settings.ts'
import { minuteMs, secondMs } from '../../model/durations.ts'
import { UsageError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import { severities } from '../../model/severity.ts'
import {
  type AlertMarks,
  alertSeverities,
  findingSeverities,
  type Links,
  type MonitoringInput,
  type SeverityLabels,
} from '../../monitoring/monitoring.ts'
import { byTenant } from '../../monitoring/thresholds.ts'
import { loadConfiguration } from './configuration.ts'

export interface MonitoringOptions {
  readonly defaults?: boolean
  readonly job: string
  readonly grafana?: string
}

export interface AlertOptions extends MonitoringOptions {
  readonly label?: readonly string[]
  readonly annotation?: readonly string[]
  readonly severity?: readonly string[]
  readonly page?: string
  readonly runbooks?: string
}

export function addMonitoringOptions(command: Command): Command {
  return command
    .option('--defaults', 'use the default thresholds instead of the configuration')
    .option('--job <name>', 'label `job` of the scrapes', defaultJob)
    .option('--grafana <url>', 'base URL of Grafana, for links to its dashboards; without it there are none')
}

/** @throws UsageError when the configuration or an option is invalid. */
export function monitoringInputOf(io: Io, command: Command, options: AlertOptions): MonitoringInput {
  const { job } = options
  if (!/^[\w./:-]{1,200}$/.test(job))
    throw new UsageError('--job may have letters, digits and the characters _ . / : - only')
  const page = address('--page', options.page)
  const grafana = address('--grafana', options.grafana)
  const links = {
    runbooks: runbooksOf(options.runbooks, page),
    runbooksWhileDown: runbooksOf(options.runbooks, null),
    grafana,
    page,
  }
  const marks = {
    labels: pairsOf('--label', options.label, /^(?!__|(?:alertname|severity)$)[A-Za-z_]\w*$/),
    annotations: pairsOf(
      '--annotation',
      options.annotation,
      /^(?!(?:summary|description|(?:runbook|dashboard|page)_url)$)[A-Za-z_]\w*$/,
    ),
    severities: severitiesIn(options.severity),
  }
  const settings = options.defaults
    ? { tenants: [], evaluate: defaultEvaluate }
    : loadConfiguration(io, command).settings
  return createMonitoringInput(settings, job, links, marks)
}

function severitiesIn(given: readonly string[] | undefined): SeverityLabels {
  const quiet = given?.map((pair) => pair.split('=')[0]).find((from) => from === 'low')
  if (quiet !== undefined)
    throw new UsageError(`Invalid value of --severity: findings of severity ${quiet} have no alert`)
  return pairsOf('--severity', given, new RegExp(`^(?:${[...alertSeverities, ...findingSeverities].join('|')})$`))
}

/** Parses options such as `--label team=security`. The value is a text, not a template. */
function pairsOf(option: string, given: readonly string[] = [], names: RegExp): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>()
  for (const pair of given) {
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    const problem = pairProblem(at, name, value, names)
    if (problem !== null)
      throw new UsageError(`Invalid value of ${option}: ${problem}; expected ${wantedPairs[option]}`)
    if (pairs.has(name)) throw new UsageError(`${option} is given twice for ${name}; give it once`)
    pairs.set(name, value)
  }
  return Object.fromEntries(pairs)
}

/** Does not repeat the value, which may be a secret. */
function pairProblem(at: number, name: string, value: string, names: RegExp): string | null {
  if (at < 0) return 'there is no "="'
  if (name === '') return 'there is no name before the "="'
  if (!/^[A-Za-z_]\w*$/.test(name))
    return 'the name before the "=" must begin with a letter or "_" and have only letters, digits and "_"'
  if (!names.test(name)) return 'the name before the "=" cannot be used here'
  if (value === '') return 'there is no text after the "="'
  return /\{\{|\p{Cc}/u.test(value) ? 'the text after the "=" has "{{" or a control character' : null
}

const wantedPairs: Readonly<Record<string, string>> = {
  '--label': 'name=value, such as team=security, with another name than alertname and severity',
  '--annotation': 'name=value, such as contact=security@example.com, with a name that alerts do not have yet',
  '--severity': `FROM=TO, such as high=page, where FROM is a severity of findings (critical, ${findingSeverities.join(', ')}) or a value of the label severity (${alertSeverities.join(', ')})`,
}

/** The daemon serves its runbooks beside the status page. */
function runbooksOf(given: string | undefined, page: string | null): string | null {
  if (given === undefined && page !== null) return `${page}/runbook?name={name}`
  const folder = address('--runbooks', given ?? projectRunbooks)
  return folder === null ? null : `${folder}/{name}.md`
}

/** Null without an address, or for an empty one: no links. */
function address(option: string, given = ''): string | null {
  if (given.trim() === '') return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[{}"'\s]/.test(given))
    throw new UsageError(`${option} must be an http or https address, or '' for no links`)
  return given.replace(/\/+$/, '')
}

/** Missed evaluations before an alert, but at least 15 minutes. */
const missedEvaluations = 3
const minStalledMs = 15 * minuteMs

export type MonitoringSettings = Pick<Settings, 'evaluate'> & {
  readonly tenants: readonly Pick<TenantSettings, 'name' | 'checks'>[]
}

const noMarks: AlertMarks = { labels: {}, annotations: {}, severities: {} }

/** Input of rules and dashboards for a configuration; for the defaults if it has no tenants. */
export function createMonitoringInput(
  { evaluate, tenants }: MonitoringSettings,
  job: string,
  links: Links,
  marks: AlertMarks = noMarks,
): MonitoringInput {
  const any = tenants.length === 0 ? [{ name: '', checks: {} }] : tenants
  return {
    checks: checks.map((check) => ({
      id: check.id,
      title: check.title,
      remediation: check.remediation,
      alert: check.alert,
      severities: severities.filter((severity) =>
        any.some((tenant) => severitiesOf(check, settingsOf(check, tenant)).includes(severity)),
      ),
    })),
    job,
    links,
    marks,
    secretDays: byTenant(any, secretDaysOf),
    evaluationStalledSeconds: Math.max(minStalledMs, missedEvaluations * evaluate.intervalMs) / secondMs,
  }
}

function secretDaysOf(tenant: { readonly checks: Readonly<Record<string, CheckSettings>> }) {
  const check = checks.find(({ id }) => id === 'api-client-secret-not-expiring')
  if (check === undefined) throw new Error('The catalogue has no check api-client-secret-not-expiring')
  const options = check.options.parse(settingsOf(check, tenant).options) as { days: number; highDays: number }
  return { near: Math.max(options.days, options.highDays), imminent: options.highDays }
}

/** The label `job` in the shipped rules. */
const defaultJob = 'tenantwatch'

const projectRunbooks = 'https://github.com/tenantwatch/tenantwatch/blob/main/docs/runbooks'

export const defaultEvaluate = { expression: '* * * * *', intervalMs: minuteMs }

export function defaultMonitoringInput(): MonitoringInput {
  return createMonitoringInput({ tenants: [], evaluate: defaultEvaluate }, defaultJob, {
    runbooks: runbooksOf(undefined, null),
    runbooksWhileDown: runbooksOf(undefined, null),
    grafana: null,
    page: null,
  })
}
