import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { defaultFile } from '../config/source.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { makeFolder } from '../model/process/make-folder.ts'
import { UnfitFile } from '../model/process/regular-file.ts'
import { commandWith, shellWord } from '../model/text/command-line.ts'
import { printable } from '../model/text/printable.ts'
import {
  answerNames,
  appended,
  type Complete,
  type Given,
  mistakesIn,
  optionNames,
  type Place,
  textOf,
} from './support/first-configuration.ts'
import { note } from './support/io.ts'
import { openPrompt, type Prompt } from './support/prompt.ts'
import { assertReplaceable, changeFile, codeOf } from './support/write-file.ts'

interface InitOptions extends Given {
  readonly config?: string
  readonly force?: boolean
}

export function addConfigInit(config: Command, io: Io, done: (code: ExitCode) => void): void {
  config
    .command('init')
    .description('write a first configuration file; asks on a terminal')
    .option('--tenant <name>', 'name of the tenant in metrics and reports: a-z, 0-9 and "-"')
    .option('--base-url <url>', 'address of its API, without /api/public')
    .option('--token-env <name>', 'environment variable that holds the token')
    .option('--token-file <file>', 'file that holds the token; read again after each change')
    .option('--header <name>', 'request header that carries the token (default: "Authorization")')
    .option('--scheme <word>', 'word before the token, "" for none (default: "Bearer")')
    .option('--own-client-id <id>', 'clientId of the API client that the token belongs to')
    .option('--force', 'replace an existing file')
    .addHelpText(
      'after',
      `
Writes ${defaultFile}, or the file of --config or TENANTWATCH_CONFIG; an existing one only with --force. It never contains the token itself.
Needs --tenant, --base-url and one of --token-env and --token-file; on a terminal it asks for those that are missing.

Examples:
  tenantwatch config init
  tenantwatch config init --tenant acme --base-url https://api.example.com --token-env ACME_TOKEN`,
    )
    .action(async (_: object, command: Command) => done(await init(io, command.optsWithGlobals<InitOptions>())))
}

async function init(io: Io, options: InitOptions): Promise<ExitCode> {
  const { config: file = io.env['TENANTWATCH_CONFIG'] || defaultFile, force = false } = options
  const answered = await completed(io, file, options)
  const given = withAbsolutePath(io, answered)
  const text = textOf(given)
  refuseMistakes(io, given)
  const { cwd, env } = io
  try {
    makeFolder(dirname(resolve(cwd, file)))
    const path = resolve(cwd, file)
    if (force && existsSync(path)) {
      assertReplaceable(path, ownText)
      const busy = changeFile(path, { before: readFileSync(path, 'utf8'), after: text, now: io.clock.now() })
      if (busy !== null) throw new UnfitFile(busy)
    } else writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    if (error instanceof UnfitFile) throw unwritable(file, error.message)
    throw unwritable(file, codeOf(error) === 'EEXIST' && existsSync(resolve(cwd, file)) ? itExists : codeOf(error))
  }
  if (appended.test(given.baseUrl)) note(io, 'The address is written without /api/public: tenantwatch appends it.')
  const next: (readonly [string, string])[] = [
    [commandWith('doctor', options.config), 'tries address, permissions and clock'],
    [commandWith('sync', options.config), 'reads everything once'],
    [commandWith('run', options.config), 'keeps it up to date'],
  ]
  if (given.tokenFile !== answered.tokenFile)
    note(
      io,
      `The token file is written as ${printable(given.tokenFile ?? '')}: a relative path would depend on the current folder.`,
    )
  const { tokenEnv } = given
  if (tokenEnv !== undefined && !env[tokenEnv]) next.unshift([`export ${tokenEnv}=...`, 'the token'])
  if (given.tokenFile !== undefined && !existsSync(given.tokenFile)) {
    const path = shellWord(printable(answered.tokenFile ?? given.tokenFile))
    next.unshift([`(umask 077; cat > ${path})`, 'paste the token, Enter, Ctrl-D'])
  }
  const width = Math.max(...next.map(([command]) => command.length))
  print(io, `Wrote ${printable(file)}. Next:`)
  for (const [command, effect] of next) print(io, `  ${command.padEnd(width)}   ${effect}`)
  return exitCodes.ok
}

/** Makes the path absolute, because the loader resolves a relative one against the folder of each command. */
function withAbsolutePath({ cwd }: Io, given: Complete): Complete {
  return given.tokenFile === undefined ? given : { ...given, tokenFile: resolve(cwd, given.tokenFile) }
}

/** A line of YAML, which a token does not contain. */
const ownText = /^\s*(?:#|[\w-]+:(?:\s|$))/m

const itExists = 'it exists, and is not overwritten; --force replaces it'
const unwritable = (file: string, why: string) => new UsageError(`${printable(file)} cannot be written (${why})`)

/** @throws UsageError when something is missing and there is no terminal to ask. */
async function completed(io: Io, file: string, given: InitOptions): Promise<Complete> {
  const { tenant, baseUrl, tokenEnv, tokenFile, force } = given
  const tokens = [tokenEnv, tokenFile].filter((one) => one !== undefined).length
  if (tokens > 1) throw new UsageError(wantedToken)
  if (tenant !== undefined && baseUrl !== undefined && tokens === 1) return { ...given, tenant, baseUrl }
  using prompt = openPrompt(io)
  if (prompt !== null) {
    if (force !== true && existsSync(resolve(io.cwd, file))) throw unwritable(file, itExists)
    refuseMistakes(io, given)
    return await asked(io, prompt, file, given)
  }
  const missing = [
    ...(tenant === undefined ? ['--tenant'] : []),
    ...(baseUrl === undefined ? ['--base-url'] : []),
    ...(tokens === 0 ? ['one of --token-env and --token-file'] : []),
  ]
  throw new UsageError(`Give ${missing.join(', ')}, or run it on a terminal, where it asks`)
}

const wantedToken = 'Give one of --token-env and --token-file: where tenantwatch finds the token'

/** Asks for what is missing (docs/operations.md#first-start). */
async function asked({ cwd, env }: Io, prompt: Prompt, file: string, given: Given): Promise<Complete> {
  prompt.say(`Writes ${printable(file)}. Enter takes the value in brackets; Ctrl-C stops, and nothing is written.`)
  prompt.say('')
  const ask = (text: string, preset: string, key: keyof Given) =>
    prompt.ask({ text, preset, problemOf: (answer) => mistakesIn({ [key]: answer }, { cwd, env }, answerNames) })
  const baseUrl =
    given.baseUrl ?? (await ask('API address without /api/public, such as https://api.example.com', '', 'baseUrl'))
  const tenant = given.tenant ?? (await ask('Name of the tenant in metrics and reports', 'default', 'tenant'))
  const source = given.tokenEnv ?? given.tokenFile
  const token = source === undefined ? await askToken(prompt, { cwd, env }, tenant) : {}
  const header = (given.header ?? given.scheme) === undefined ? await askHeader(prompt, { cwd, env }) : {}
  const hasClient = given.ownClientId !== undefined
  const id = hasClient ? '' : await askClient(prompt, { cwd, env })
  prompt.say('')
  return { ...given, tenant, baseUrl, ...token, ...header, ...(id !== '' && { ownClientId: id }) }
}

async function askToken(prompt: Prompt, place: Place, tenant: string): Promise<Given> {
  const answer = await prompt.ask({
    text: 'File that holds the token, or $NAME of a variable',
    preset: `$${tenant
      .replaceAll('-', '_')
      .replace(/^(?=\d)/, '_')
      .toUpperCase()}_TOKEN`,
    problemOf(given) {
      const name = variableIn(given)
      if (name !== undefined) return mistakesIn({ tokenEnv: name }, place, answerNames)
      // Does not repeat the answer, which may be the token.
      if (isFile(resolve(place.cwd, given))) return null
      return place.env[given] !== undefined
        ? `There is no such file; did you mean the variable $${given}?`
        : 'There is no such file; expected the path of a file, or the name of a variable after a "$"'
    },
  })
  const tokenEnv = variableIn(answer)
  return tokenEnv === undefined ? { tokenFile: answer } : { tokenEnv }
}

/** The name in `$NAME` or `${NAME}`. */
function variableIn(answer: string): string | undefined {
  return /^\$\{?(.*?)\}?$/.exec(answer)?.[1]
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

const usualHeader = 'Authorization: Bearer'

async function askHeader(prompt: Prompt, place: Place): Promise<Given> {
  const read = (answer: string): Given => {
    const [header = '', scheme = ''] = answer.split(':').map((part) => part.trim())
    return { header, scheme }
  }
  const answer = await prompt.ask({
    text: 'Header of the token, and the word before it if any',
    preset: usualHeader,
    problemOf: (given) => mistakesIn(read(given), place, answerNames),
  })
  return answer === usualHeader ? {} : read(answer)
}

/** Empty if the answer is left out. */
function askClient(prompt: Prompt, place: Place): Promise<string> {
  return prompt.ask({
    text: 'clientId of the API client of the token (its id in the list of API clients, not secret); Enter leaves it out',
    preset: '',
    problemOf: (answer) => (answer === '' ? null : mistakesIn({ ownClientId: answer }, place, answerNames)),
  })
}

/** @throws UsageError */
function refuseMistakes(place: Place, given: Given): void {
  const mistakes = mistakesIn(given, place, optionNames)
  if (mistakes !== null) throw new UsageError(mistakes)
}
