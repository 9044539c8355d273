import { Option } from 'commander'
import { recordOf } from '../daemon/evaluator.ts'
import { readRecord } from '../evaluate/configuration-record.ts'
import { UsageError } from '../model/errors.ts'
import { exitCodes, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { dayMs, toIso } from '../model/time.ts'
import { buildReport, type Report, unconfiguredInWords } from '../report/build-report.ts'
import { reportHtml } from '../report/report-html.ts'
import { reportJson } from '../report/report-json.ts'
import { oscalVersion, reportOscal } from '../report/report-oscal.ts'
import { addCommand } from './command.ts'
import { type OpenMirror, openMirror } from './support/configuration.ts'
import { note, writeAll } from './support/io.ts'
import {
  detailsOption,
  formatOf,
  formatOption,
  oneOf,
  outputOption,
  readMoment,
  tenantOption,
} from './support/options.ts'
import { beforeRecord, knownSince } from './support/record-bounds.ts'
import { writeFile } from './support/write-file.ts'

const renderers = { html: reportHtml, json: reportJson, oscal: reportOscal } as const
const formats = ['html', 'json', 'oscal'] as const

interface ReportOptions {
  readonly format: keyof typeof renderers
  readonly asOf?: string
  readonly from?: string
  readonly to?: string
  readonly tenant?: string
  readonly output?: string
  readonly details?: boolean
}

export const addReport = addCommand<ReportOptions>({
  name: 'report',
  summary: 'write the audit report: posture, coverage, findings, waivers, data quality, requirements',
  options: [
    formatOption(formats),
    new Option('--as-of <time>', 'state at that time, such as 2026-03-31 (its end), 2026-03-31T18:00:00Z or 30d'),
    new Option(
      '--from <time>',
      'what happened since then: opened, resolved, time to fix, waivers, holds, hours without data',
    ).conflicts('asOf'),
    new Option('--to <time>', 'end of that period; default: now').conflicts('asOf'),
    tenantOption(),
    outputOption(),
    detailsOption(),
  ],
  help: `Works beside a running engine. The report is made from the stored history alone: the
same time gives the same bytes. oscal is assessment results of NIST OSCAL ${oscalVersion},
one result for each tenant.

Exit: 0 ok; 2 usage, or there is no history of that time.

Examples:
  tenantwatch report --output evidence.html
  tenantwatch report --as-of 2026-03-31 --tenant acme --format json > evidence.json
  tenantwatch report --from 2026-01-01 --to 2026-03-31 --output quarter.html
  tenantwatch report --format oscal --output evidence.oscal.json`,
  async run({ io, command, options }) {
    const format = formatOf(command, options, formats)
    await using opened = await openMirror(io, command)
    const { settings, now } = opened
    const { asOf, to } = options
    const [name, end] = to === undefined ? (['--as-of', asOf] as const) : (['--to', to] as const)
    const at = end === undefined ? now : readMoment(name, end, { now, day: 'end' })
    const from = beginningOf(options, at, now)
    if (format === 'html' && options.output === undefined && io.stdout.isTTY === true)
      throw new UsageError('HTML is not printed to a terminal; give --output report.html')
    const made = await makeReport(opened, options, { from, at, present: end === undefined })
    const pieces = renderers[format](made)
    if (options.output === undefined) {
      await writeAll(io, pieces)
    } else {
      await writeFile(io, { name: options.output, pieces })
      print(io, `Wrote ${printable(options.output)}`)
    }
    const missing = unconfiguredInWords(made.unconfigured)
    if (missing !== null) note(io, missing)
    if (end === undefined && made.configurationDigest !== (await recordOf(settings, 0)).digest)
      note(io, 'The configuration differs from that of the last evaluation; the report shows the evaluated one.')
    return exitCodes.ok
  },
})

function beginningOf({ from, to }: ReportOptions, at: number, now: number): number | undefined {
  if (from === undefined && to !== undefined) throw new UsageError('--to ends a period: give its beginning with --from')
  if (from === undefined) return undefined
  const begin = readMoment('--from', from, { now, day: 'start' })
  if (begin >= at) throw new UsageError('The time of --from is not before the end of the period')
  return begin
}

/** `present`: as of now, not of a time that was given. */
interface Moment {
  readonly from?: number | undefined
  readonly at: number
  readonly present: boolean
}

export async function makeReport(
  { mirror, settings, now }: OpenMirror,
  { tenant: only, details = false }: Pick<ReportOptions, 'tenant' | 'details'>,
  { from, at, present }: Moment,
): Promise<Report> {
  if (at > now)
    throw new UsageError('The time is in the future (a day means its end); without one you get the current state')
  const tenants = await mirror.tenants()
  const shown = tenants.filter(({ name }) => only === undefined || name === only)
  const bounds = await mirror.recordBounds(shown.map(({ id }) => id))
  const known = knownSince(bounds, now, now - settings.historyRetentionDays * dayMs)
  if (known !== null && (from ?? at) < known.at) throw unknownThen(known.why, known.at)
  const begunAt = bounds.begins ?? now
  const past = await mirror.past(at, present)
  const configuration = await past.configuration()
  if (configuration === null) throw unknownThen(beforeRecord(begunAt), begunAt)
  const names = readRecord(configuration).tenants.map(({ name }) => name)
  oneOf('tenant', names, only)
  return buildReport({ past, configuration, begunAt, tenants, details, only, from })
}

function unknownThen(why: string, from: number): UsageError {
  return new UsageError(`${why}; what was true then is unknown. Give ${toIso(from)} or later`)
}
