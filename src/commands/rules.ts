import { type Command, Option } from 'commander'
import { UsageError } from '../model/errors.ts'
import { exitCodes } from '../model/process/io.ts'
import { shellWord } from '../model/text/command-line.ts'
import { renderGrafanaRules } from '../monitoring/grafana-rules.ts'
import { type Links, renderInhibitions, renderRules, ruleFormats, type SeverityLabels } from '../monitoring/rules.ts'
import { alertSeverities } from '../monitoring/shipped.ts'
import { addCommand } from './command.ts'
import { jobOf, jobOption } from './dashboards.ts'
import { formatOption, repeatable } from './support/options.ts'

const formats = [...ruleFormats, 'alertmanager', 'grafana'] as const

interface RulesOptions {
  readonly label: readonly string[]
  readonly annotation: readonly string[]
  readonly severity: readonly string[]
  readonly grafana?: string
  readonly page?: string
  readonly portal?: string
  readonly runbooks?: string
  readonly job: string
  readonly format: (typeof formats)[number]
  readonly datasource: string
}

export const addRules = addCommand<RulesOptions>({
  name: 'rules',
  summary: 'write alert and recording rules for an installation',
  options: [
    formatOption(formats),
    repeatable('--label <name=value>', 'label of every alert'),
    repeatable('--annotation <name=value>', 'annotation of every alert'),
    repeatable('--severity <from=to>', 'other value of the label severity, such as high=page'),
    new Option('--page <url>', 'base URL of the status page, for links to its findings and runbooks'),
    new Option(
      '--portal <url>',
      'address of an API client in the portal, with {clientId}, for links of alerts about one',
    ),
    new Option('--runbooks <url>', "base URL of other runbooks; '' = no links to any"),
    new Option('--datasource <uid>', 'UID of Prometheus in Grafana, for --format grafana').default('prometheus'),
    jobOption(),
    new Option('--grafana <url>', 'base URL of Grafana, for links to its dashboards; without it there are none'),
  ],
  help: `The label severity of an alert about findings is their severity; findings below medium
have no alert. Other alerts use the same scale. --severity high=page changes the label
of every alert with high. Name the new values in the routes of Alertmanager, too:
those of the example send values that they do not name to e-mail.

--format alertmanager writes the inhibition rules of the alerts, a part to append to
alertmanager.yml. --format recording writes the recorded series alone, grafana a file
for the provisioning of Grafana-managed alerts with the same expressions. Those need
the recorded series in Prometheus.

Examples:
  tenantwatch rules > /etc/prometheus/rules/tenantwatch.yml
  tenantwatch rules --label team=security --severity critical=page --severity high=ticket --page https://tenantwatch.example.com
  tenantwatch rules --format operator | kubectl apply -f -
  tenantwatch rules --format recording > /etc/prometheus/rules/tenantwatch.yml
  tenantwatch rules --format alertmanager >> /etc/alertmanager/alertmanager.yml
  tenantwatch rules --format grafana > /etc/grafana/provisioning/alerting/tenantwatch.yaml`,
  run({ io, command, options }) {
    const { format } = options
    if (!/^[\w-]{1,40}$/.test(options.datasource))
      throw new UsageError('--datasource must be a UID of Grafana: up to 40 letters, digits, _ and -')
    const installation = { job: jobOf(options), links: linksOf(options), ...marksOf(options) }
    const writtenBy = commandLineOf(command)
    switch (format) {
      case 'alertmanager':
        io.stdout.write(renderInhibitions(installation.severities))
        break
      case 'grafana':
        io.stdout.write(renderGrafanaRules(installation, options.datasource, writtenBy))
        break
      default:
        io.stdout.write(renderRules(installation, format, writtenBy))
    }
    return exitCodes.ok
  },
})

/** The command with the given options, to run again after an upgrade. */
function commandLineOf(command: Command): string {
  const words = command.options.flatMap((option) => {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    const isGiven = command.getOptionValueSource(name) === 'cli' || name === 'format'
    if (!isGiven || name === 'config') return []
    return [value].flat().map((one) => `--${option.name()} ${shellWord(String(one))}`)
  })
  return ['tenantwatch rules', ...words].join(' ')
}

/** @throws UsageError when an option is invalid. */
function marksOf({ label, annotation, severity }: RulesOptions) {
  return {
    labels: pairsOf('--label', label, /^(?!__|(?:alertname|severity)$)[A-Za-z_]\w*$/),
    annotations: pairsOf(
      '--annotation',
      annotation,
      /^(?!(?:summary|description|(?:runbook|dashboard|page|portal)_url)$)[A-Za-z_]\w*$/,
    ),
    severities: severitiesIn(severity),
  }
}

/** @throws UsageError when an address is invalid. */
function linksOf(options: RulesOptions): Links {
  const page = address('--page', options.page)
  return {
    runbooks: runbooksOf(options.runbooks, page),
    runbooksWhileDown: runbooksOf(options.runbooks, null),
    grafana: address('--grafana', options.grafana),
    page,
    portal: portalOf(options.portal),
  }
}

function portalOf(given: string | undefined): string | null {
  const [before, after] = given?.split('{clientId}', 2) ?? []
  if (given === undefined) return null
  if (!before?.startsWith('https://') || after === undefined || /[{}]/.test(given.replaceAll('{clientId}', '')))
    throw new UsageError('--portal must be an https address such as https://portal.example.com/api-clients/{clientId}')
  address('--portal', before)
  return given
}

function severitiesIn(given: readonly string[]): SeverityLabels {
  if (given.some((pair) => pair.split('=')[0] === 'low'))
    throw new UsageError('Invalid value of --severity: findings of severity low have no alert')
  return pairsOf('--severity', given, new RegExp(`^(?:${alertSeverities.join('|')})$`))
}

/** Parses options such as `--label team=security`. The value is a text, not a template; a refusal does not repeat it. */
function pairsOf(option: string, given: readonly string[], names: RegExp): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>()
  for (const pair of given) {
    const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.+)$/s.exec(pair) ?? []
    if (!names.test(name) || /\{\{|\p{Cc}/u.test(value))
      throw new UsageError(
        `Invalid value of ${option}: expected ${wantedPairs[option]}; the text after the "=" has no "{{" and no control character`,
      )
    if (pairs.has(name)) throw new UsageError(`${option} is given twice for ${name}; give it once`)
    pairs.set(name, value)
  }
  return Object.fromEntries(pairs)
}

const wantedPairs: Readonly<Record<string, string>> = {
  '--label': 'name=value, such as team=security, with another name than alertname and severity',
  '--annotation': 'name=value, such as contact=security@example.com, with a name that alerts do not have yet',
  '--severity': `FROM=TO, such as high=page, where FROM is one of ${alertSeverities.join(', ')}`,
}

/** The daemon serves its runbooks beside the status page. */
function runbooksOf(given: string | undefined, page: string | null): string | null {
  if (given === undefined && page !== null) return `${page}/runbook?name={name}`
  if (given === undefined) return 'shipped'
  const folder = address('--runbooks', given)
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
