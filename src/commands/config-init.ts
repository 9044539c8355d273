import { existsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Option } from 'commander'
import { stringify } from 'yaml'
import { schemaLine } from '../config/json-schema.ts'
import { defaultFile, loadSettings } from '../config/load-settings.ts'
import { ConfigError } from '../config/mistakes.ts'
import { UsageError } from '../model/errors.ts'
import { makeFolder } from '../model/process/files.ts'
import { exitCodes, type Io, print } from '../model/process/io.ts'
import { commandWith, shellWord } from '../model/text/command-line.ts'
import { printable } from '../model/text/printable.ts'
import { addCommand } from './command.ts'
import { catalogue } from './support/configuration.ts'
import { codeOf } from './support/write-file.ts'

interface InitOptions {
  readonly config?: string
  readonly tenant: string
  readonly baseUrl: string
  readonly tokenEnv?: string
  readonly tokenFile?: string
  readonly header?: string
  readonly scheme?: string
  readonly ownClientId?: string
}

export const addConfigInit = addCommand<InitOptions>({
  name: 'init',
  summary: 'write a first, commented configuration file',
  options: [
    new Option('--tenant <name>', 'name of the tenant in metrics and reports: a-z, 0-9 and "-"').makeOptionMandatory(),
    new Option('--base-url <url>', 'address of its API, without /api/public').makeOptionMandatory(),
    new Option('--token-env <name>', 'environment variable that holds the token').conflicts('tokenFile'),
    new Option('--token-file <file>', 'file that holds the token; read again after each change'),
    new Option('--header <name>', 'request header that carries the token (default: "Authorization")'),
    new Option('--scheme <word>', 'word before the token, "" for none (default: "Bearer")'),
    new Option('--own-client-id <id>', 'clientId of the API client that the token belongs to'),
  ],
  help: `Writes ${defaultFile}, or the file of --config or TENANTWATCH_CONFIG, unless it exists. It never contains the token itself: give one of --token-env and --token-file.

Example:
  tenantwatch config init --tenant acme --base-url https://api.example.com --token-env ACME_TOKEN`,
  run({ io, options }) {
    if ((options.tokenEnv ?? options.tokenFile) === undefined)
      throw new UsageError('Give one of --token-env and --token-file')
    const file = options.config ?? (io.env['TENANTWATCH_CONFIG'] || defaultFile)
    const text = textOf(io, options)
    assertValid(io, file, text)
    write(io, file, text)
    print(io, `Wrote ${printable(file)}. Next:`)
    for (const step of nextSteps(io, options)) print(io, `  ${step}`)
    return exitCodes.ok
  },
})

/** With an absolute path of the token, because the loader resolves a relative one against the folder of each command. */
function textOf({ cwd }: Io, { tenant: name, baseUrl, tokenEnv, tokenFile, header, scheme, ownClientId }: InitOptions) {
  const token = tokenFile === undefined ? { env: tokenEnv } : { file: resolve(cwd, tokenFile) }
  const tenants = [{ name, baseUrl, auth: { header, scheme, token }, ownClientId }]
  const ownClient =
    '    # ownClientId: clientId of the API client of this token; a list of API clients without it raises a hold\n'
  return `${schemaLine}
# For editors that complete keys: "tenantwatch config schema" prints that file. docs/configuration.md lists all keys,
# "tenantwatch config print" those in force, defaults included; "tenantwatch config check" names mistakes.
${stringify({ tenants }, { lineWidth: 0 })}${ownClientId === undefined ? ownClient : ''}# The defaults of mirror, page and metrics:
# store: { path: data/tenantwatch.db }
# server: { listen: 127.0.0.1:9469 }
`
}

/** @throws UsageError that names the keys of the file that is not written yet. */
function assertValid({ cwd, env }: Io, file: string, text: string): void {
  try {
    loadSettings({ file, text, env, cwd, catalogue, purpose: 'read' })
  } catch (error) {
    if (!(error instanceof ConfigError) || error.mistakes.length === 0) throw error
    throw new UsageError(error.mistakes.map((mistake) => mistake.text).join('\n'))
  }
}

function write({ cwd }: Io, file: string, text: string): void {
  try {
    makeFolder(dirname(resolve(cwd, file)))
    writeFileSync(resolve(cwd, file), text, { flag: 'wx' })
  } catch (error) {
    const why = codeOf(error) === 'EEXIST' ? 'it exists, and is not overwritten' : codeOf(error)
    throw new UsageError(`${printable(file)} cannot be written (${why})`)
  }
}

function* nextSteps({ cwd, env }: Io, { config, tokenEnv, tokenFile }: InitOptions): Generator<string> {
  if (tokenEnv !== undefined && !env[tokenEnv]) yield `export ${tokenEnv}=...`
  if (tokenFile !== undefined && !existsSync(resolve(cwd, tokenFile)))
    yield `(umask 077; cat > ${shellWord(printable(tokenFile))})   # paste the token, Enter, Ctrl-D`
  for (const command of ['doctor', 'sync', 'run']) yield commandWith(command, config)
}
