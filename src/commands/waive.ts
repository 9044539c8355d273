import { readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Option } from 'commander'
import { stringify } from 'yaml'
import { checksOf } from '../checks/index.ts'
import { loadSettings } from '../config/load-settings.ts'
import { waiverTerms } from '../config/sections.ts'
import { lastInstantOf, type Settings, waiverIn } from '../config/settings.ts'
import { waiverFolder } from '../config/waiver-files.ts'
import { addToList } from '../config/yaml-file.ts'
import { UsageError } from '../model/errors.ts'
import { type FindingView, shortFingerprint } from '../model/finding.ts'
import { exitCodes, type Io } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { firstOf, plural } from '../model/text/words.ts'
import { printWrapped } from '../report/terminal.ts'
import { addCommand } from './command.ts'
import { findFinding } from './explain.ts'
import { findingQuery } from './findings.ts'
import { catalogue, type OpenMirror, openMirror } from './support/configuration.ts'
import { note, writeAll } from './support/io.ts'
import { type SeverityOptions, severityOptions, tenantOption } from './support/options.ts'
import { changeFile, type FileChange } from './support/write-file.ts'

const termNames = ['reason', 'ticket', 'owner', 'expires'] as const

interface WaiveOptions extends SeverityOptions, Partial<Readonly<Record<(typeof termNames)[number], string>>> {
  readonly check?: string
  readonly tenant?: string
  readonly ownedBy?: string
  readonly write?: boolean
}

export const addWaive = addCommand<WaiveOptions>({
  name: 'waive',
  argument: ['[fingerprints...]', 'fingerprints of open findings, or their prefixes'],
  summary: 'print the waivers of findings, or write them into the configuration',
  options: [
    new Option('--check <check>', 'instead of fingerprints: the open findings of this check'),
    tenantOption(),
    ...severityOptions(),
    new Option('--owned-by <name>', 'only findings of this owner, as "findings --owner" lists them'),
    new Option('--reason <text>', 'why the finding is accepted, in 20 characters or more'),
    new Option('--owner <who>', 'the person or team that is responsible'),
    new Option('--expires <date>', 'the last valid day (UTC), as YYYY-MM-DD'),
    new Option('--ticket <url>', 'address or number of a ticket; shown with the reason'),
    new Option('--write', 'write them into a new file in waivers.d beside the configuration file, or else into that'),
  ],
  help: `Works beside a running engine, which applies a waiver after a reload. Without
--reason, --owner and --expires it prints a template. With --check each finding
gets a waiver of its own: one that opens later is not waived.

Examples:
  tenantwatch waive e49418ad0f73
  tenantwatch waive e49418ad0f73 --reason "Break-glass account, in the safe" \\
    --owner security --expires 2030-06-30 --write
  tenantwatch waive --check document-current --severity medium --reason "..." ...`,
  async run({ io, command, options, args: fingerprints }) {
    await using opened = await openMirror(io, command)
    const { source, now } = opened
    const findings = await chosenFindings(opened, fingerprints, options)
    findings.forEach(assertWaivable)
    const problems = problemsIn(options, now)
    if (problems.length > 0) throw new UsageError(problems.join('. '))
    const taken = await takenIds(opened)
    const waivers = findings.map((finding) => waiverOf(finding, options, taken))
    if (options.check !== undefined) note(io, `${plural(findings.length, 'finding')} covered`)
    if (options.write !== true) {
      await writeAll(io, [stringify({ waivers }, { lineWidth: 0 })])
      return exitCodes.ok
    }
    if (source === 'environment')
      throw new UsageError(
        'There is no configuration file to write to; expected one with --config or TENANTWATCH_CONFIG',
      )
    const file = await write(io, source, waivers)
    const ids = firstOf(waivers.map(({ id }) => id))
    printWrapped(
      io,
      `${printable(file)} has ${ids}; a running engine applies ${waivers.length === 1 ? 'it' : 'them'} after a reload (SIGHUP).`,
    )
    for (const { waiver } of findings)
      if (waiver !== null)
        printWrapped(io, `${printable(waiver.id)} is replaced by that: remove it from the configuration.`)
    return exitCodes.ok
  },
})

const filterNames = ['check', 'tenant', 'severity', 'minSeverity', 'ownedBy'] as const

async function chosenFindings(
  opened: OpenMirror,
  fingerprints: readonly string[],
  options: WaiveOptions,
): Promise<readonly FindingView[]> {
  const isFiltered = filterNames.some((name) => options[name] !== undefined)
  if (fingerprints.length > 0 ? isFiltered : options.check === undefined)
    throw new UsageError(
      'Expected fingerprints of findings or, without any, --check with --tenant, --severity, --min-severity and --owned-by as filters',
    )
  const { settings, views, now } = opened
  const named = new Map<string, FindingView>()
  for (const one of fingerprints) {
    const finding = await findFinding(opened, one)
    named.set(finding.fingerprint, finding)
  }
  if (!isFiltered) return [...named.values()]
  const found: FindingView[] = []
  const query = findingQuery({ ...options, owner: options.ownedBy }, settings, checksOf(settings), now)
  const names = new Set(settings.tenants.map(({ name }) => name))
  for await (const finding of views.findings({ ...query, states: ['open', 'waived'] }))
    if (names.has(finding.tenant)) found.push(finding)
  const open = found.filter(({ state }) => state === 'open')
  if (open.length > 0) return open
  const ids = found.flatMap(({ waiver }) => (waiver === null ? [] : [waiver.id]))
  throw new UsageError(
    ids.length === 0
      ? 'No open finding matches'
      : `${plural(found.length, 'finding matches and is', 'findings match and are')} waived already, by ${firstOf([...new Set(ids)])}; ${renewing}`,
  )
}

const renewing = 'to renew a waiver, change its expires and reason in the configuration and reload it'

const placeholders = {
  reason: 'TEXT of 20 characters or more: why this is accepted',
  owner: 'WHO',
  expires: 'YYYY-MM-DD',
} as const

/** Terms that the configuration would refuse, and a date in the past; for `--write` also missing ones. */
function problemsIn(options: WaiveOptions, now: number): readonly string[] {
  const missing = termNames.filter((name) => name !== 'ticket' && options[name] === undefined)
  const wrong = termNames.flatMap((name) => {
    if (options[name] === undefined) return []
    const read = waiverTerms[name].safeParse(options[name])
    if (!read.success) return [`Invalid value of --${name}: ${read.error.issues[0]?.message}`]
    const isOver = name === 'expires' && lastInstantOf(read.data) < now
    return isOver ? ['Invalid value of --expires: the day is over; expected the last valid day (UTC)'] : []
  })
  if (options.write !== true || missing.length === 0) return wrong
  return [`Missing ${missing.map((name) => `--${name}`).join(', ')}`, ...wrong]
}

function assertWaivable({ state, resolution, waiver, entity }: FindingView): void {
  if (state === 'resolved')
    throw new UsageError(`The finding has ended (${resolution}); only an open one can be waived`)
  if (state === 'waived')
    throw new UsageError(`The finding is waived already, by ${waiver?.id} until ${waiver?.expires}; ${renewing}`)
  if (entity.id === '*') throw new UsageError('The entity is called "*", which would waive all entities of the check')
}

function waiverOf(finding: FindingView, options: WaiveOptions, taken: ReadonlySet<string>) {
  const { fingerprint, check, entity, tenant } = finding
  const termOf = (name: keyof typeof placeholders) => options[name]?.trim() ?? placeholders[name]
  const ticket = options.ticket?.trim()
  const terms = { owner: termOf('owner'), expires: termOf('expires') }
  return {
    id: freeId(`W-${shortFingerprint(fingerprint)}`, taken),
    check,
    entity: entity.id,
    tenant,
    reason: termOf('reason'),
    ...(ticket && { ticket }),
    ...terms,
  }
}

/** Also those that left the configuration: with the same terms, one of them returns and renews nothing. */
async function takenIds({ settings, mirror }: OpenMirror): Promise<ReadonlySet<string>> {
  const tenants = await mirror.tenants()
  const noted = await Promise.all(tenants.map(({ id }) => mirror.notedWaivers(id)))
  return new Set([...settings.waivers, ...noted.flat()].map(({ id }) => id))
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  let candidate = id
  for (let next = 2; taken.has(candidate); next++) candidate = `${id}-${next}`
  return candidate
}

const addByHand = 'run the command without --write and add its output by hand'

/** Writes into a new file of the folder of waivers if it exists, else into the configuration; returns which. */
async function write(io: Io, source: string, waivers: readonly ReturnType<typeof waiverOf>[]): Promise<string> {
  const folder = waiverFolder(source)
  if (statSync(resolve(io.cwd, folder), { throwIfNoEntry: false })?.isDirectory() !== true) {
    await addToFile(io, source, waivers)
    return source
  }
  const [first, ...others] = waivers
  const file = join(folder, `${first?.id}.yaml`)
  const text = stringify(others.length === 0 ? first : waivers, { lineWidth: 0 })
  await put(io, file, { like: resolve(io.cwd, source), before: null, after: text })
  try {
    settingsIn(io, source)
  } catch (error) {
    rmSync(resolve(io.cwd, file))
    throw error
  }
  return file
}

/** @throws UsageError when the file cannot be written, or would change in more than these waivers. */
async function addToFile(io: Io, file: string, added: readonly ReturnType<typeof waiverOf>[]): Promise<void> {
  const path = realpathSync(resolve(io.cwd, file))
  const before = readFileSync(path, 'utf8')
  const after = addToList(before, 'waivers', added)
  if (after === null)
    throw new UsageError(
      `${printable(file)} has \`waivers\` or itself in a notation that cannot be added to, such as \`[ … ]\`; ${addByHand}`,
    )
  const old = settingsIn(io, file, before)
  if (!isDeepStrictEqual(settingsIn(io, file, after), { ...old, waivers: [...old.waivers, ...added.map(waiverIn)] }))
    throw new UsageError(`${printable(file)} would differ in more than the waiver; ${addByHand}`)
  await put(io, path, { like: path, before, after })
}

/** @throws UsageError */
async function put(io: Io, file: string, change: FileChange): Promise<void> {
  const obstacle = await changeFile(resolve(io.cwd, file), change)
  if (obstacle !== null) throw new UsageError(`${printable(file)} cannot be written (${obstacle}); ${addByHand}`)
}

/** The settings, or those if the file had this text. @throws ConfigError */
function settingsIn({ env, cwd }: Io, file: string, text?: string): Settings {
  return loadSettings({ file, text, env, cwd, catalogue, purpose: 'read' }).settings
}
