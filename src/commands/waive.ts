import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import { loadSettings } from '../config/load-settings.ts'
import { waiverTerms } from '../config/sections.ts'
import { lastInstantOf, type Settings } from '../config/settings.ts'
import { addToList } from '../config/yaml-file.ts'
import { readFindings } from '../evaluate/findings/read-findings.ts'
import { UsageError } from '../model/errors.ts'
import { type FindingView, shortFingerprint } from '../model/finding.ts'
import { type ExitCode, exitCodes, type Io } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { printWrapped } from '../report/terminal.ts'
import type { Done } from './list.ts'
import { catalogue, type OpenMirror, openMirror } from './support/configuration.ts'
import { findFinding } from './support/find-finding.ts'
import { writeAll } from './support/io.ts'
import { changeFile, codeOf } from './support/write-file.ts'

const termNames = ['reason', 'owner', 'expires'] as const

interface WaiveOptions extends Partial<Readonly<Record<(typeof termNames)[number], string>>> {
  readonly write?: boolean
}

export function addWaive(program: Command, io: Io, done: Done): void {
  program
    .command('waive')
    .argument('<fingerprints...>', 'fingerprints of open findings, or their prefixes')
    .description('print the waivers of findings, or write them into the configuration')
    .option('--reason <text>', 'why the finding is accepted, in 20 characters or more')
    .option('--owner <who>', 'the person or team that is responsible')
    .option('--expires <date>', 'the last valid day (UTC), as YYYY-MM-DD')
    .option('--write', 'add them to the configuration file, and change nothing else there')
    .addHelpText(
      'after',
      `
Works beside a running engine, which applies a waiver after a reload. Without
--reason, --owner and --expires it prints a template.

Examples:
  tenantwatch waive e49418ad0f73
  tenantwatch waive e49418ad0f73 --reason "Break-glass account, in the safe" \\
    --owner security --expires 2030-06-30 --write`,
    )
    .action(async (fingerprints: readonly string[], options: WaiveOptions, command: Command) =>
      done(await waive(io, fingerprints, options, command)),
    )
}

async function waive(
  io: Io,
  fingerprints: readonly string[],
  options: WaiveOptions,
  command: Command,
): Promise<ExitCode> {
  await using opened = await openMirror(io, command)
  const { settings, source, now } = opened
  const findings: FindingView[] = []
  for (const one of new Set(fingerprints)) findings.push(await findFinding(opened, one))
  findings.forEach(assertWaivable)
  const problems = problemsIn(options, now)
  if (problems.length > 0) throw new UsageError(problems.join('. '))
  const { waivers: known } = settings
  const waivers = findings.map((finding) => waiverOf(finding, options, known))
  if (options.write !== true) {
    await writeAll(io, [stringify({ waivers }, { lineWidth: 0 })])
    return exitCodes.ok
  }
  if (source === 'environment')
    throw new UsageError('There is no configuration file to write to; expected one with --config or TENANTWATCH_CONFIG')
  await addToFile(io, source, waivers, { ...opened, findings })
  const ids = waivers.map(({ id }) => id).join(', ')
  printWrapped(io, `${printable(source)} has ${ids}; a running engine applies it after a reload (SIGHUP).`)
  for (const { waiver } of findings)
    if (waiver !== null)
      printWrapped(io, `${printable(waiver.id)} is replaced by that: remove it from the configuration.`)
  return exitCodes.ok
}

const placeholders = {
  reason: 'TEXT of 20 characters or more: why this is accepted',
  owner: 'WHO',
  expires: 'YYYY-MM-DD',
} as const

/** Terms that the configuration would refuse, and a date in the past; for `--write` also missing ones. */
function problemsIn(options: WaiveOptions, now: number): readonly string[] {
  const missing = termNames.filter((name) => options[name] === undefined)
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
    throw new UsageError(
      `The finding is waived already, by ${waiver?.id} until ${waiver?.expires}; to renew that waiver, change its expires and reason in the configuration and reload it`,
    )
  if (entity.id === '*') throw new UsageError('The entity is called "*", which would waive all entities of the check')
}

function waiverOf(finding: FindingView, options: WaiveOptions, known: Settings['waivers']) {
  const { fingerprint, check, entity, tenant } = finding
  const terms = Object.fromEntries(termNames.map((name) => [name, options[name]?.trim() ?? placeholders[name]]))
  return { id: freeId(`W-${shortFingerprint(fingerprint)}`, known), check, entity: entity.id, tenant, ...terms }
}

function freeId(id: string, known: Settings['waivers']): string {
  const taken = new Set(known.map((waiver) => waiver.id))
  let candidate = id
  for (let next = 2; taken.has(candidate); next++) candidate = `${id}-${next}`
  return candidate
}

const addByHand = 'run the command without --write and add its output by hand'

interface Waiving extends Pick<OpenMirror, 'mirror' | 'now'> {
  readonly findings: readonly FindingView[]
}

/** @throws UsageError when the file cannot be written, or would change in more than the waivers of these findings. */
async function addToFile(
  io: Io,
  file: string,
  added: readonly ReturnType<typeof waiverOf>[],
  { mirror, now, findings }: Waiving,
): Promise<void> {
  const path = realpathSync(resolve(io.cwd, file))
  const before = readFileSync(path, 'utf8')
  let after: string | null = before
  for (const waiver of added) after = after === null ? null : addToList(after, 'waivers', waiver)
  if (after === null)
    throw new UsageError(
      `${printable(file)} has \`waivers\` or itself in a notation that cannot be added to, such as \`[ … ]\`; ${addByHand}`,
    )
  const { waivers: old, ...rest } = settingsIn(io, file, before)
  const { waivers, ...same } = settingsIn(io, file, after)
  const fingerprints = findings.map(({ fingerprint }) => fingerprint)
  const covered = readFindings({ store: mirror, waivers, now, states: ['waived'], fingerprints })
  if (
    !isDeepStrictEqual(rest, same) ||
    !isDeepStrictEqual(waivers.slice(0, old.length), old) ||
    (await Array.fromAsync(covered)).length < findings.length
  )
    throw new UsageError(`${printable(file)} would differ in more than the waiver; ${addByHand}`)
  let obstacle: string | null
  try {
    obstacle = changeFile(path, { before, after, now: io.clock.now() })
  } catch (error) {
    throw new UsageError(`${printable(path)} cannot be written (${codeOf(error)}); ${addByHand}`)
  }
  if (obstacle !== null)
    throw new UsageError(`${printable(file)} cannot be written (${obstacle}); run the command again later`)
}

/** The settings if the file had this text. */
function settingsIn({ env, cwd }: Io, file: string, text: string): Settings {
  return loadSettings({ file, text, env, cwd, catalogue, needsSecrets: false }).settings
}
