import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Option } from 'commander'
import { stringify } from 'yaml'
import { jsonSchema, schemaLine } from '../config/json-schema.ts'
import { defaultFile, loadSettings } from '../config/load-settings.ts'
import { ConfigError } from '../config/mistakes.ts'
import { maskedYaml, type Settings } from '../config/settings.ts'
import { urlOf } from '../daemon/open-store.ts'
import { endedWaivers, ignoredSettings, openAddress, uncoveredStatuses } from '../doctor/configuration.ts'
import { failingQueries, unlistedRequirements } from '../doctor/own-checks.ts'
import { UsageError } from '../model/errors.ts'
import { makeFolder } from '../model/process/files.ts'
import { exitCodes, type Io, print } from '../model/process/io.ts'
import { shellWord } from '../model/text/command-line.ts'
import { printable } from '../model/text/printable.ts'
import { plural } from '../model/text/words.ts'
import { parseAddress } from '../store/db/postgres/address.ts'
import { type AddCommand, addCommand } from './command.ts'
import { catalogue, loadConfiguration } from './support/configuration.ts'
import { warn } from './support/io.ts'
import { codeOf } from './support/write-file.ts'

const addCheck = addCommand<{ readonly syntaxOnly?: boolean }>({
  name: 'check',
  summary: 'validate the configuration and list all problems',
  options: [
    new Option(
      '--syntax-only',
      'check keys and values only, not the files, variables and programs that they name; for a file of another machine',
    ),
  ],
  help: `Examples:
  tenantwatch config check --config /etc/tenantwatch.yaml
  tenantwatch config check --syntax-only --config overlay/tenantwatch.yaml`,
  async run({ io, command, options: { syntaxOnly = false } }) {
    const { settings, source, ignored } = loadConfiguration(io, command, syntaxOnly ? 'syntax' : 'check')
    const { ownChecks, server, tenants, waivers } = settings
    const failing = syntaxOnly ? [] : await failingQueries(ownChecks, io.clock.now())
    const problems = [
      ...(syntaxOnly ? [] : await addressProblems(settings, io)).map((problem) => `${source}: ${problem}`),
      ...failing.map(({ check, problem }) => `${printable(join(ownChecks.folder ?? '', check.file))}: ${problem}`),
    ]
    if (problems.length > 0) throw new ConfigError(problems)
    const own = syntaxOnly || ownChecks.checks.length === 0 ? '' : `, ${plural(ownChecks.checks.length, 'own check')}`
    print(io, `${source} is valid: ${plural(tenants.length, 'tenant')}${own}${syntaxOnly ? ' (syntax only)' : ''}`)
    warn(io, [
      ...ignoredSettings(ignored),
      ...(syntaxOnly && server.webConfig !== null ? [] : openAddress(settings, io.cwd)),
      ...tenants.flatMap(uncoveredStatuses),
      ...endedWaivers(waivers, io.clock.now()),
      ...(syntaxOnly ? [] : unlistedRequirements(ownChecks)),
    ])
    return exitCodes.ok
  },
})

const addPrint = addCommand({
  name: 'print',
  summary: 'the effective configuration, defaults included, secrets masked',
  help: 'Example:\n  tenantwatch config print',
  run({ io, command }) {
    const { written, source, ignored } = loadConfiguration(io, command)
    print(io, `# ${source}\n${maskedYaml(written).trimEnd()}`)
    warn(io, ignoredSettings(ignored))
    return exitCodes.ok
  },
})

const addSchema = addCommand({
  name: 'schema',
  summary: 'the JSON Schema of the configuration, for editors',
  help: 'Example:\n  tenantwatch config schema > config/tenantwatch.schema.json',
  run({ io }) {
    print(io, JSON.stringify(jsonSchema(catalogue), null, 2))
    return exitCodes.ok
  },
})

export const addConfig: AddCommand = (program, io, done) => {
  const config = program
    .command('config')
    .description('write, check or print the configuration')
    .option('--config <file>', 'configuration file')
    .addHelpText(
      'after',
      '\nExamples:\n  tenantwatch config schema > config/tenantwatch.schema.json\n  tenantwatch config check\n  tenantwatch config print',
    )
  for (const add of [addInit, addSchema, addCheck, addPrint]) add(config, io, done)
}

/** Commands are not run here, but when the database is opened. */
async function addressProblems({ store: { url } }: Settings, io: Io): Promise<readonly string[]> {
  if (url === null || 'command' in url) return []
  try {
    parseAddress(await urlOf(url, io)())
    return []
  } catch (error) {
    if (error instanceof UsageError) return [error.message]
    throw error
  }
}

interface InitOptions {
  readonly config?: string
  readonly tenant: string
  readonly baseUrl: string
  readonly tokenEnv?: string
  readonly tokenFile?: string | undefined
  readonly header?: string
  readonly scheme?: string
  readonly ownClientId?: string
}

const addInit = addCommand<InitOptions>({
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
    assertValid(io, file, textOf(options))
    // Absolute, because the loader resolves a relative path against the folder of each command.
    const tokenFile = options.tokenFile && resolve(io.cwd, options.tokenFile)
    write(io, file, textOf({ ...options, tokenFile }))
    print(io, `Wrote ${printable(file)}. Next:`)
    for (const step of nextSteps(io, options)) print(io, `  ${step}`)
    return exitCodes.ok
  },
})

function textOf({ tenant: name, baseUrl, tokenEnv, tokenFile, header, scheme, ownClientId }: InitOptions): string {
  const token = tokenFile === undefined ? { env: tokenEnv } : { file: tokenFile }
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
  if (config !== undefined) yield `export TENANTWATCH_CONFIG=${shellWord(printable(config))}`
  yield 'tenantwatch doctor'
  yield 'tenantwatch run'
}
