import { type Command, Option } from 'commander'
import { UsageError } from '../model/errors.ts'
import { exitCodes } from '../model/process/io.ts'
import { shellWord } from '../model/text/command-line.ts'
import { renderGrafanaRules } from '../monitoring/grafana-rules.ts'
import { renderInhibitions } from '../monitoring/inhibitions.ts'
import { renderRules, ruleFormats } from '../monitoring/rules.ts'
import { addCommand } from './command.ts'
import { type AlertOptions, jobOf, jobOption, type LinkOptions, linksOf, marksOf } from './support/alert-options.ts'
import { formatOption, repeatable } from './support/options.ts'

const formats = [...ruleFormats, 'alertmanager', 'grafana'] as const

interface RulesOptions extends AlertOptions, LinkOptions {
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
    if (typeof value === 'boolean') return [`--${option.name()}`]
    return [value].flat().map((one) => `--${option.name()} ${shellWord(String(one))}`)
  })
  return ['tenantwatch rules', ...words].join(' ')
}
