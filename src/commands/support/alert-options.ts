import { Option } from 'commander'
import { UsageError } from '../../model/errors.ts'
import type { Links, SeverityLabels } from '../../monitoring/rules.ts'
import { alertSeverities, defaultJob } from '../../monitoring/shipped.ts'

export interface AlertOptions {
  readonly label?: readonly string[]
  readonly annotation?: readonly string[]
  readonly severity?: readonly string[]
}

export interface LinkOptions {
  readonly grafana?: string
  readonly page?: string
  readonly portal?: string
  readonly runbooks?: string
}

export const jobOption = () => new Option('--job <name>', 'label `job` of the scrapes').default(defaultJob)

/** @throws UsageError when it would need quoting in PromQL. */
export function jobOf({ job }: { readonly job: string }): string {
  if (!/^[\w./:-]{1,200}$/.test(job))
    throw new UsageError('--job may have letters, digits and the characters _ . / : - only')
  return job
}

/** @throws UsageError when an option is invalid. */
export function marksOf({ label, annotation, severity }: AlertOptions) {
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
export function linksOf(options: LinkOptions): Links {
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

function severitiesIn(given: readonly string[] | undefined): SeverityLabels {
  const quiet = given?.map((pair) => pair.split('=')[0]).find((from) => from === 'low')
  if (quiet !== undefined)
    throw new UsageError(`Invalid value of --severity: findings of severity ${quiet} have no alert`)
  return pairsOf('--severity', given, new RegExp(`^(?:${alertSeverities.join('|')})$`))
}

/** Parses options such as `--label team=security`. The value is a text, not a template; a refusal does not repeat it. */
function pairsOf(option: string, given: readonly string[] = [], names: RegExp): Readonly<Record<string, string>> {
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
