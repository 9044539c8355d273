import type * as z from 'zod'
import { frameworks, isEvidenceFor } from '../../src/checks/frameworks.ts'
import type { Check } from '../../src/evaluate/check.ts'
import { shippedGroups } from '../../src/monitoring/rules.ts'
import type { CataloguedFamily } from '../metric-catalogue.ts'

const mark = '<!-- Made by `npm run generate` from the catalogues in src/; edit those instead. -->'

const width = 120

/** The page of the checks; its sections are the runbooks of the alerts on their findings. */
export function checksPage(checks: readonly Check[]): string {
  const sections = checks.map((check) => checkSection(check))
  return `# Checks

${mark}

Each check states its passing case, below as the first sentence. It passes only on data that is complete, fresh and of the
right tenant; otherwise it is \`unknown\`, with a reason. A status is the first of these that holds:

1. \`not_applicable\`: a resource that the check reads is switched off, or no setting says what it demands.
2. \`unknown\`: a resource that it reads was never complete, is stale, refused, or the tenant is on hold.
3. \`fail\`: an entity fails, waived or not; \`unknown\` if all are waived and 4 applies.
4. \`unknown\`: records are quarantined, missing or on hold, or an entity could not be evaluated. A document or API client
   that one full sync lacks counts as last read until the next.
5. \`not_applicable\`: there is nothing to evaluate.
6. \`pass\`; or \`unknown\`, if the check depends on time and the clocks do not agree, or the server's clock is over 5 minutes behind.

\`checks.<id>\` in the configuration takes \`enabled\`, \`severity\` (one for all its findings) and the options of the check.
Requirements are those of SOC 2 (TSC 2017), ISO/IEC 27001:2022 Annex A, NIST SP 800-53 revision 5, PCI DSS 4.0.1 and CIS
Controls version 8: a check supports them, and proves none. [Checks of your own](own-checks.md) are files of SQL.

## When a check fails

The alert on a check fires for findings of severity critical at once, high after 15 minutes, medium after an
hour; lower ones have none unless you raise the \`severity\` of the check. Those of alerts on secrets are fixed.

1. \`tenantwatch findings --check CHECK\` lists the findings; \`tenantwatch explain FINGERPRINT\` shows rule, facts, the request
   that brought them, and history. With the daemon down both still work.
2. Correct the tenant, as *To do* says. The finding resolves with the next full sync of what the check reads.
3. Or accept it until a date: \`tenantwatch waive FINGERPRINT --reason TEXT --owner WHO --expires DATE --write\`, then reload
   ([waivers](waivers.md)).

If findings stay open although the tenant is corrected, the data may not be read:
[TenantwatchCheckUnknown](alerts.md#tenantwatchcheckunknown).

${sections.join('\n')}`
}

/** What to know beside the catalogue when the alert of a check fires. */
const hints: Readonly<Record<string, string>> = {
  'api-client-secret-not-expired':
    'Find the owner by the name of the client. A waiver for `api-client-secret-not-expiring` does not cover the expiry. A deleted client must be missing from two full syncs.',
  'api-client-secret-not-expiring':
    'A secret has one alert at a time: one for each severity, and one on its last day. All days are in `sort((tenantwatch_api_client_secret_expiration_timestamp_seconds - time()) / 86400)`.',
  'user-mfa-enrolled':
    'If nearly all users fail, the policy was switched on recently, or `enrolledWhen` does not fit this tenant: [what "enrolled" means](first-week.md#enrolled). Switching the policy off ends nothing while `auth-settings-unchanged` is on: `auth-mfa-policy-enabled` fails instead.',
}

function checkSection(check: Check): string {
  const { id, evaluates, needs, severities } = check
  const facts = [
    `Severity ${severities.toReversed().join(', ')}; evaluates ${[evaluates, ...needs.map((need) => `with ${need}`)].join(' ')}`,
    ...(check.notEvaluatedWhere === undefined ? [] : [`Not evaluated where ${check.notEvaluatedWhere}`]),
    ...optionsOf(check.options),
    `A waiver accepts ${(check.material ?? []).map((name) => `\`${name}\``).join(', ')}`,
    `Alert: ${alertsOf(id).join(', ')}`,
    ...requirementsOf(check),
  ]
  const hint = hints[id] === undefined ? '' : `\n${wrapped(hints[id])}\n`
  return `## ${id}

${wrapped(`**${check.title}.** ${check.description}`)}

${wrapped(`*To do*: ${check.remediation} Risk: ${check.risk}`)}
${hint}
${facts.map((fact) => wrapped(`- ${fact}`, '  ')).join('\n')}
`
}

/** The alerts whose runbook is the section of the check; without any, the one on all other findings. */
function alertsOf(id: string): readonly string[] {
  const rules = shippedGroups().flatMap((group) => group.rules)
  const own = rules.filter(({ annotations }) => annotations?.['runbook_url']?.endsWith(`docs/checks.md#${id}`))
  return own.length === 0 ? ['`TenantwatchOwnCheckFails`'] : [...new Set(own.map(({ alert }) => `\`${alert}\``))]
}

function optionsOf(options: z.ZodObject): string[] {
  const defaults = Object.entries(options.parse({})).map(([name, value]) => `\`${name}: ${JSON.stringify(value)}\``)
  return defaults.length === 0 ? [] : [`Options: ${defaults.join(', ')}`]
}

function requirementsOf(check: Check): string[] {
  const named = frameworks.flatMap((framework) => {
    const ids = framework.requirements.filter(({ id }) => isEvidenceFor(check, framework, id)).map(({ id }) => id)
    return ids.length === 0 ? [] : [`${shortName(framework.name)} ${ids.join(', ')}`]
  })
  return named.length === 0 ? [] : [`Requirements: ${named.join('; ')}`]
}

/** `ISO/IEC 27001:2022, Annex A` is `ISO/IEC 27001` here: the head of the page has the editions. */
function shortName(name: string): string {
  return name.replace(/(?:,.*|:\d{4}.*| [\d.]+$)/, '')
}

/** The page of the metrics. */
export function metricsPage(families: readonly CataloguedFamily[]): string {
  const entries = families.map(({ name, type, labelNames, help }) =>
    wrapped(`- \`${name}\` (${[type, ...labelNames].join(', ')}): ${withoutSource(help)}`, '  '),
  )
  const recorded = shippedGroups()
    .flatMap(({ rules }) => rules)
    .flatMap(({ record }) => (record === undefined ? [] : [`- \`${record}\``]))
  return `# Metrics

${mark}

\`/metrics\` answers from the mirror; a scrape sends nothing to the tenant. Start with \`tenantwatch_findings\` (open, not
waived), \`tenantwatch_check_status\` (0 findings mean nothing while a check is \`unknown\`) and
\`tenantwatch_api_client_secret_expiration_timestamp_seconds\`.

- Counters and health series exist from the first scrape at 0, a timestamp of 0 means never, and check states begin as
  \`unknown\`. Gauges with facts of the tenant are absent until the first read.
- \`tenantwatch_api_requests_total\`, \`tenantwatch_sync_failures_total\` and \`tenantwatch_contract_events_total\` begin with the
  label values that the rules read; others appear when they occur.
- No label has the name of a user, an e-mail address or a file name. Names of API clients and roles have \`[e-mail]\` in place
  of an address; an id that may be a name is a digest.
- Counters count since the daemon started. Process metrics of prom-client are exported as well.

## Exported

In parentheses: type and labels.

${entries.join('\n')}

## Recorded by the shipped rules

A stopped daemon must not look like a resolved finding: series that end in \`:last_known\` keep their value three days,
unless a daemon answers without it. In \`tenant:tenantwatch_checks_passing:ratio\` an unknown check counts as not passing.

${recorded.join('\n')}
`
}

function withoutSource(help: string): string {
  return help.replace(
    / (?:Read from the \w+(?: at scrape, not from the tenant)?|Counted since the daemon started)\.$/,
    '',
  )
}

type KeyRow = readonly [key: string, byDefault: string, meaning: string]

/** The page of the configuration. */
export function configurationPage(keys: readonly KeyRow[]): string {
  const entries = keys.map(([key, byDefault, meaning]) =>
    wrapped(
      `- \`${key}\`${byDefault === '' ? '' : ` = \`${byDefault}\``}${meaning === '' ? '' : `: ${meaning}`}`,
      '  ',
    ),
  )
  return `# Configuration

${mark}

One YAML file: the one that \`--config\` or \`TENANTWATCH_CONFIG\` names, else \`config/tenantwatch.yaml\`.

\`\`\`
tenantwatch config init --tenant acme --base-url https://api.example.com --token-env ACME_TOKEN
tenantwatch config check     # every mistake at once, with line, column and what would be right
tenantwatch config print     # what is in force, defaults included, secrets masked
tenantwatch config schema    # the JSON Schema, by which editors complete keys
\`\`\`

- [config/tenantwatch.example.yaml](../config/tenantwatch.example.yaml) is a file with every default. An unknown key is a
  mistake, and so is a variable, file or program that is named but missing.
- The sections \`api\`, \`resources\`, \`schedule\`, \`freshness\` and \`checks\` may also be set in a tenant; each key there replaces
  the general one.
- Durations are written \`90s\`, \`15m\`, \`1h30m\` or \`30d\`; cron expressions need quotes. Relative paths begin in the working
  directory.
- Without a file, \`TENANTWATCH_BASE_URL\` and \`TENANTWATCH_TOKEN\` (or \`TENANTWATCH_TOKEN_FILE\`) make one tenant named
  \`default\`; with a file they are ignored. \`TENANTWATCH_STORE_PATH\`, \`TENANTWATCH_STORE_URL\` and \`TENANTWATCH_LISTEN\`
  override their keys in both cases.
- The daemon takes a changed file with a [reload](daily-work.md#configuration-changes). The options of each check are in
  [checks.md](checks.md), waivers in [waivers.md](waivers.md).

## Keys

With the default after \`=\`.

${entries.join('\n')}
`
}

/** Wraps a paragraph or an item at 120 characters. */
function wrapped(text: string, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent + word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
