import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Option } from 'commander'
import { stringify } from 'yaml'
import { schemaLine } from '../config/json-schema.ts'
import { defaultFile, loadSettings } from '../config/load-settings.ts'
import { ConfigError } from '../config/mistakes.ts'
import { UsageError } from '../model/errors.ts'
import { makeFolder, UnfitFile } from '../model/process/files.ts'
import { exitCodes, type Io, print } from '../model/process/io.ts'
import { commandWith, shellWord } from '../model/text/command-line.ts'
import { printable } from '../model/text/printable.ts'
import { addCommand } from './command.ts'
import { catalogue } from './support/configuration.ts'
import { note } from './support/io.ts'
import { assertReplaceable, changeFile, codeOf } from './support/write-file.ts'

interface InitOptions {
  readonly config?: string
  readonly force?: boolean
  readonly tenant?: string
  readonly baseUrl?: string
  readonly tokenEnv?: string
  readonly tokenFile?: string
  readonly header?: string
  readonly scheme?: string
  readonly ownClientId?: string
}

type Complete = InitOptions & { readonly tenant: string; readonly baseUrl: string }

export const addConfigInit = addCommand<InitOptions>({
  name: 'init',
  summary: 'write a first, commented configuration file',
  options: [
    new Option('--tenant <name>', 'required: name of the tenant in metrics and reports: a-z, 0-9 and "-"'),
    new Option('--base-url <url>', 'required: address of its API, without /api/public'),
    new Option('--token-env <name>', 'environment variable that holds the token'),
    new Option('--token-file <file>', 'file that holds the token; read again after each change'),
    new Option('--header <name>', 'request header that carries the token (default: "Authorization")'),
    new Option('--scheme <word>', 'word before the token, "" for none (default: "Bearer")'),
    new Option('--own-client-id <id>', 'clientId of the API client that the token belongs to'),
    new Option('--force', 'replace an existing file'),
  ],
  help: `Writes ${defaultFile}, or the file of --config or TENANTWATCH_CONFIG; an existing one only with --force. It never contains the token itself: give one of --token-env and --token-file.

Example:
  tenantwatch config init --tenant acme --base-url https://api.example.com --token-env ACME_TOKEN`,
  async run({ io, options }) {
    const file = options.config ?? (io.env['TENANTWATCH_CONFIG'] || defaultFile)
    const given = complete(io, options)
    const text = textOf(given)
    assertValid(io, text)
    await write(io, file, text, options.force === true)
    if (appended.test(given.baseUrl)) note(io, 'The address is written without /api/public: tenantwatch appends it.')
    if (given.tokenFile !== options.tokenFile)
      note(
        io,
        `The token file is written as ${printable(given.tokenFile ?? '')}: a relative path would depend on the current folder.`,
      )
    const next = nextSteps(io, options, given)
    const width = Math.max(...next.map(([command]) => command.length))
    print(io, `Wrote ${printable(file)}. Next:`)
    for (const [command, effect] of next) print(io, `  ${command.padEnd(width)}   ${effect}`)
    return exitCodes.ok
  },
})

/** With an absolute path of the token, because the loader resolves a relative one against the folder of each command. */
function complete({ cwd }: Io, options: InitOptions): Complete {
  const { tenant, baseUrl, tokenEnv, tokenFile } = options
  const missing: string[] = []
  if (tenant === undefined) missing.push('--tenant')
  if (baseUrl === undefined) missing.push('--base-url')
  if ((tokenEnv === undefined) === (tokenFile === undefined)) missing.push('one of --token-env and --token-file')
  if (tenant === undefined || baseUrl === undefined || missing.length > 0)
    throw new UsageError(`Give ${missing.join(', ')}`)
  return { ...options, tenant, baseUrl, ...(tokenFile !== undefined && { tokenFile: resolve(cwd, tokenFile) }) }
}

/** A path that is often copied with the address; the program appends it itself. */
const appended = /\/api\/public\/*$/i

function textOf({ tenant: name, baseUrl, tokenEnv, tokenFile, header, scheme, ownClientId }: Complete): string {
  const auth = {
    ...(header !== undefined && { header }),
    ...(scheme !== undefined && { scheme }),
    token: tokenEnv === undefined ? { file: tokenFile } : { env: tokenEnv },
  }
  const tenant = {
    name,
    baseUrl: baseUrl.replace(appended, ''),
    auth,
    ...(ownClientId !== undefined && { ownClientId }),
  }
  const ownClient =
    '    # ownClientId: clientId of the API client of this token; a list of API clients without it raises a hold\n'
  return `${schemaLine}
# For editors that complete keys: "tenantwatch config schema" prints that file. docs/configuration.md lists all keys,
# "tenantwatch config print" those in force, defaults included; "tenantwatch config check" names mistakes.
${stringify({ tenants: [tenant] }, { lineWidth: 0 })}${ownClientId === undefined ? ownClient : ''}# The defaults of mirror, page and metrics:
# store: { path: data/tenantwatch.db }
# server: { listen: 127.0.0.1:9469 }
`
}

const optionNames: Readonly<Record<string, string>> = {
  'tenants[0].name': '--tenant',
  'tenants[0].baseUrl': '--base-url',
  'tenants[0].auth.token.env': '--token-env',
  'tenants[0].auth.token.file': '--token-file',
  'tenants[0].auth.header': '--header',
  'tenants[0].auth.scheme': '--scheme',
  'tenants[0].ownClientId': '--own-client-id',
}

/** Validates the options as the file that is not written yet. @throws UsageError that names options in place of keys. */
function assertValid({ cwd, env }: Io, text: string): void {
  try {
    loadSettings({ file: defaultFile, text, env, cwd, catalogue, needsSecrets: false })
  } catch (error) {
    if (!(error instanceof ConfigError) || error.mistakes.length === 0) throw error
    const sentences = error.mistakes.map(({ key, text }) => text.replace(`\`${key}\``, optionNames[key] ?? key))
    throw new UsageError(sentences.join('\n'))
  }
}

/** A line of YAML, which a token does not contain. */
const ownText = /^\s*(?:#|[\w-]+:(?:\s|$))/m

async function write({ cwd }: Io, file: string, text: string, force: boolean): Promise<void> {
  const path = resolve(cwd, file)
  let obstacle: string | null = null
  try {
    makeFolder(dirname(path))
    if (!existsSync(path)) writeFileSync(path, text, { flag: 'wx' })
    else if (!force) obstacle = 'it exists, and is not overwritten; --force replaces it'
    else {
      assertReplaceable(path, ownText)
      obstacle = await changeFile(path, readFileSync(path, 'utf8'), text)
    }
  } catch (error) {
    obstacle = error instanceof UnfitFile ? error.message : codeOf(error)
  }
  if (obstacle !== null) throw new UsageError(`${printable(file)} cannot be written (${obstacle})`)
}

type Step = readonly [command: string, effect: string]

function nextSteps({ env }: Io, { config, tokenFile: written }: InitOptions, given: Complete): readonly Step[] {
  const { tokenEnv, tokenFile } = given
  const steps: Step[] = []
  if (tokenEnv !== undefined && !env[tokenEnv]) steps.push([`export ${tokenEnv}=...`, 'the token'])
  if (tokenFile !== undefined && !existsSync(tokenFile)) {
    const path = shellWord(printable(written ?? tokenFile))
    steps.push([`(umask 077; cat > ${path})`, 'paste the token, Enter, Ctrl-D'])
  }
  steps.push([commandWith('doctor', config), 'tries address, permissions and clock'])
  steps.push([commandWith('sync', config), 'reads everything once'])
  steps.push([commandWith('run', config), 'keeps it up to date'])
  return steps
}
