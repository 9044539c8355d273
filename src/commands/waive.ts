import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import { loadSettings } from '../config/load-settings.ts'
import { waiverTerms } from '../config/sections.ts'
import { lastInstantOf, type Settings } from '../config/settings.ts'
import { addToList } from '../config/yaml/add-to-list.ts'
import { readFindings } from '../evaluate/findings/read-findings.ts'
import { UsageError } from '../model/errors.ts'
import { type FindingView, shortFingerprint } from '../model/finding.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { printWrapped } from '../report/terminal.ts'
import type { Mirror } from '../store/port.ts'
import { catalogue, loadConfiguration, openVerifiedMirror } from './support/configuration.ts'
import { endedWaivers } from './support/ended-waivers.ts'
import { findFinding } from './support/find-finding.ts'
import { writeAll } from './support/io.ts'
import { reloadCommand } from './support/reload-command.ts'
import { type Change, changeFile, codeOf } from './support/write-file.ts'

interface WaiveOptions {
  readonly reason?: string
  readonly owner?: string
  readonly expires?: string
  readonly write?: boolean
}

export function addWaive(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('waive')
    .argument('<fingerprint>', 'fingerprint of an open finding, or its prefix')
    .description('print the waiver of a finding, or write it into the configuration')
    .option('--reason <text>', 'required: why the finding is accepted, in 20 characters or more')
    .option('--owner <who>', 'required: the person or team that is responsible')
    .option('--expires <date>', 'required: the last valid day (UTC), as YYYY-MM-DD')
    .option('--write', 'add it to the configuration file, and change nothing else there')
    .addHelpText(
      'after',
      `
Works beside a running engine, which applies the waiver after a reload; --write prints the command for that.

Examples:
  tenantwatch waive e49418ad0f73 --reason "Break-glass account, sealed in the safe" --owner security --expires 2030-06-30
  tenantwatch waive e49418ad0f73 --reason "Replaced in May, ticket 4711" --owner ops --expires 2030-06-30 --write`,
    )
    .action(async (fingerprint: string, options: WaiveOptions, command: Command) =>
      done(await waive(io, fingerprint, options, command)),
    )
}

async function waive(io: Io, fingerprint: string, options: WaiveOptions, command: Command): Promise<ExitCode> {
  const now = io.clock.now()
  const { settings, source } = loadConfiguration(io, command)
  await using mirror = await openVerifiedMirror(settings, io)
  const problems = problemsIn(options, now)
  if (problems.length > 0) {
    // Report an unknown fingerprint together with the other problems.
    const unknown = await findFinding(mirror, settings, fingerprint, now).then(() => [], refusal)
    throw new UsageError([...unknown, ...problems].join('. '))
  }
  const asked = { mirror, fingerprint, terms: termsOf(options), now }
  const { finding, waiver } = await waiverFor(asked, settings)
  if (options.write !== true) {
    await writeAll(io, [stringify({ waivers: [waiver] }, { lineWidth: 0 })])
    if (io.stdout.isTTY === true && source !== 'environment')
      printWrapped(io, `\nNot written yet. To add it to ${printable(source)}: the same command with --write`)
    return exitCodes.ok
  }
  if (source === 'environment')
    throw new UsageError('There is no configuration file to write to; expected one with --config or TENANTWATCH_CONFIG')
  const id = await write(io, source, asked)
  const reload = reloadCommand(settings)
  const running =
    settings.store.url === null
      ? 'a running engine applies it after:'
      : 'each running replica applies it after its own reload, such as:'
  const when = reload === null ? 'no engine is running, and the next one applies it' : running
  printWrapped(io, `${printable(source)} has the waiver ${id}; ${when}`)
  if (reload !== null) print(io, `  ${reload}`)
  const ended = await endedWaivers(mirror, settings, finding, now, id)
  for (const sentence of ended) printWrapped(io, `${printable(sentence)}.`)
  return exitCodes.ok
}

interface Asked {
  readonly mirror: Mirror
  readonly fingerprint: string
  readonly terms: ReturnType<typeof termsOf>
  readonly now: number
}

async function waiverFor({ mirror, fingerprint, terms, now }: Asked, settings: Settings) {
  const finding = await findFinding(mirror, settings, fingerprint, now)
  refuseNeedless(finding)
  const { check, entity, tenant } = finding
  return { finding, waiver: { id: freeId(finding, settings), check, entity: entity.id, tenant, ...terms } }
}

/** The message of a UsageError. @throws any other error. */
function refusal(error: unknown): readonly string[] {
  if (error instanceof UsageError) return [error.message]
  throw error
}

const placeholders = { reason: '--reason <text>', owner: '--owner <who>', expires: '--expires <date>' } as const

/** Missing options, terms that the configuration would refuse, and a date in the past. */
function problemsIn(options: WaiveOptions, now: number): readonly string[] {
  const names = ['reason', 'owner', 'expires'] as const
  const missing = names.filter((name) => options[name] === undefined)
  const wrong = names.flatMap((name) => {
    if (options[name] === undefined) return []
    const read = waiverTerms[name].safeParse(options[name])
    if (!read.success) return [`Invalid value of --${name}: ${read.error.issues[0]?.message}`]
    const isOver = name === 'expires' && lastInstantOf(read.data) < now
    return isOver ? ['Invalid value of --expires: the day is over; expected the last valid day (UTC)'] : []
  })
  return [...(missing.length > 0 ? [`Missing ${missing.map((name) => placeholders[name]).join(', ')}`] : []), ...wrong]
}

function termsOf({ reason = '', owner = '', expires = '' }: WaiveOptions) {
  return { reason: reason.trim(), owner: owner.trim(), expires }
}

function refuseNeedless({ state, resolution, waiver, entity }: FindingView): void {
  if (state === 'resolved')
    throw new UsageError(`The finding has ended (${resolution}); only an open one can be waived`)
  if (state === 'waived')
    throw new UsageError(
      `The finding is waived already, by ${waiver?.id} until ${waiver?.expires}; to renew that waiver, change its expires and reason in the configuration and reload it`,
    )
  if (entity.id === '*') throw new UsageError('The entity is called "*", which would waive all entities of the check')
}

function freeId({ fingerprint }: FindingView, { waivers }: Settings): string {
  const ids = new Set(waivers.map(({ id }) => id))
  const id = `W-${shortFingerprint(fingerprint)}`
  for (let next = 1; ; next++) {
    const candidate = next === 1 ? id : `${id}-${next}`
    if (!ids.has(candidate)) return candidate
  }
}

const addByHand = 'run the command without --write and add its output by hand'

/** Longest wait for other processes that add waivers. */
const longestWaitMs = 10_000
const retryMs = 100

/** @returns the id of the waiver. @throws UsageError when the file cannot be written. */
async function write(io: Io, file: string, asked: Asked): Promise<string> {
  const { clock, cwd, stop } = io
  const giveUpAt = clock.monotonic() + longestWaitMs
  for (;;) {
    const path = realpathSync(resolve(cwd, file))
    const before = readFileSync(path, 'utf8')
    const { id, after } = await withWaiver(io, file, before, asked)
    const obstacle = tryToChange(path, { before, after, now: clock.now() })
    if (obstacle === null) return id
    if (clock.monotonic() >= giveUpAt)
      throw new UsageError(`${printable(file)} cannot be written (${obstacle}); run the command again later`)
    await clock.sleep(retryMs, stop)
  }
}

function tryToChange(path: string, change: Change): string | null {
  try {
    return changeFile(path, change)
  } catch (error) {
    throw new UsageError(`${printable(path)} cannot be written (${codeOf(error)}); ${addByHand}`)
  }
}

/** @throws UsageError when the file would change in more than the waiver. */
async function withWaiver(io: Io, file: string, before: string, asked: Asked) {
  const { env, cwd } = io
  const settingsIn = (text: string) => {
    const readFile = (path: string) => (path === resolve(cwd, file) ? text : readFileSync(path, 'utf8'))
    return loadSettings({ file, env, cwd, catalogue, needsSecrets: false, readFile }).settings
  }
  const settings = settingsIn(before)
  const { finding, waiver } = await waiverFor(asked, settings)
  const after = addToList(before, 'waivers', waiver)
  if (after === null)
    throw new UsageError(
      `${printable(file)} has \`waivers\` or itself in a notation that cannot be added to, such as \`[ … ]\`; ${addByHand}`,
    )
  const { waivers, ...rest } = settingsIn(after)
  const { waivers: known, ...same } = settings
  const isSame = isDeepStrictEqual(rest, same) && isDeepStrictEqual(waivers.slice(0, -1), known)
  const request = {
    store: asked.mirror,
    waivers,
    now: asked.now,
    states: ['waived'],
    fingerprints: [finding.fingerprint],
  } as const
  if (!isSame || (await Array.fromAsync(readFindings(request))).length !== 1)
    throw new UsageError(`${printable(file)} would differ in more than the waiver; ${addByHand}`)
  return { id: waiver.id, after }
}
