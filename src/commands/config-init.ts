import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import { loadSettings } from '../config/load-settings.ts'
import { defaultFile } from '../config/source.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { catalogue } from './support/configuration.ts'
import { makeFolder } from './support/make-folder.ts'
import { codeOf } from './support/write-file.ts'

interface InitOptions {
  readonly tenant: string
  readonly baseUrl: string
  readonly tokenEnv?: string
  readonly tokenFile?: string
  readonly header?: string
  readonly scheme?: string
  readonly ownClientId?: string
  readonly config?: string
}

export function addConfigInit(config: Command, io: Io, done: (code: ExitCode) => void): void {
  config
    .command('init')
    .description('write a first configuration file')
    .requiredOption('--tenant <name>', 'name of the tenant in metrics and reports: a-z, 0-9 and "-"')
    .requiredOption('--base-url <url>', 'address of its API, without /api/public')
    .option('--token-env <name>', 'environment variable that holds the token')
    .option('--token-file <file>', 'file that holds the token; read again after each change')
    .option('--header <name>', 'request header that carries the token (default: "Authorization")')
    .option('--scheme <word>', 'word before the token, "" for none (default: "Bearer")')
    .option('--own-client-id <id>', 'clientId of the API client that the token belongs to')
    .addHelpText(
      'after',
      `
Writes ${defaultFile}, or the file of --config, which must not exist yet. It never contains the token itself.

Example:
  tenantwatch config init --tenant acme --base-url https://api.example.com --token-env ACME_TOKEN`,
    )
    .action((_: object, command: Command) => done(init(io, command.optsWithGlobals<InitOptions>())))
}

function init(io: Io, options: InitOptions): ExitCode {
  const { config: file = defaultFile, tokenEnv, tokenFile } = options
  if ((tokenEnv === undefined) === (tokenFile === undefined))
    throw new UsageError('Give one of --token-env and --token-file: where tenantwatch finds the token')
  const text = textOf(options)
  const { env, cwd } = io
  // The same mistakes as in any other file, before there is one.
  namingOptions(() =>
    loadSettings({ file, env, cwd, catalogue, needsSecrets: false, exists: () => true, readFile: () => text }),
  )
  try {
    makeFolder(dirname(resolve(cwd, file)))
    writeFileSync(resolve(cwd, file), text, { flag: 'wx' })
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST' && existsSync(resolve(cwd, file))
    const why = isThere ? 'it exists, and is not overwritten' : codeOf(error)
    throw new UsageError(`${printable(file)} cannot be written (${why})`)
  }
  const flag = options.config === undefined ? '' : ` --config ${printable(file)}`
  const next: (readonly [string, string])[] = [
    [`tenantwatch doctor${flag}`, 'tries the address, the permissions and the clock'],
    [`tenantwatch sync${flag}`, 'reads everything once'],
    [`tenantwatch run${flag}`, 'keeps it up to date'],
  ]
  if (tokenEnv !== undefined) next.unshift([`export ${tokenEnv}=...`, 'the token'])
  const width = Math.max(...next.map(([command]) => command.length))
  print(io, `Wrote ${printable(file)}. Next:`)
  for (const [command, effect] of next) print(io, `  ${command.padEnd(width)}   ${effect}`)
  return exitCodes.ok
}

const optionOf: Readonly<Record<string, string>> = {
  name: '--tenant',
  baseUrl: '--base-url',
  'auth.token.env': '--token-env',
  'auth.token.file': '--token-file',
  'auth.header': '--header',
  'auth.scheme': '--scheme',
  ownClientId: '--own-client-id',
}

/** A mistake is in an option; the file, whose position the message names, does not exist yet. */
function namingOptions(read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const sentences = error.message
      .split('\n')
      .map((line) =>
        line.replace(/^.*?:\d+:\d+: `tenants\[0\]\.([\w.]+)`/, (whole, key: string) => optionOf[key] ?? whole),
      )
    throw new UsageError(sentences.join('\n'))
  }
}

function textOf({ tenant: name, baseUrl, tokenEnv, tokenFile, header, scheme, ownClientId }: InitOptions): string {
  const token = tokenEnv === undefined ? { file: tokenFile } : { env: tokenEnv }
  const auth = { ...(header !== undefined && { header }), ...(scheme !== undefined && { scheme }), token }
  const tenant = { name, baseUrl, auth, ...(ownClientId !== undefined && { ownClientId }) }
  return [
    '# Configuration of tenantwatch. "tenantwatch config print" shows every key that is in force, defaults included,',
    '# "tenantwatch config check" names mistakes.',
    stringify({ tenants: [tenant] }, { lineWidth: 0 }).trimEnd(),
    ...(ownClientId === undefined
      ? ['    # ownClientId: clientId of the API client of this token; a list of API clients without it is rejected']
      : []),
    '# The mirror is data/tenantwatch.db, page and metrics are on 127.0.0.1:9469.',
    '# store: { path: data/tenantwatch.db }',
    '# server: { listen: 127.0.0.1:9469 }',
    '',
  ].join('\n')
}
