import { Option } from 'commander'
import { jsonSchema } from '../config/json-schema.ts'
import { ConfigError } from '../config/mistakes.ts'
import { maskedYaml, type Settings } from '../config/settings.ts'
import { urlOf } from '../daemon/open-store.ts'
import { endedWaivers, ignoredStorePath, openAddress, uncoveredStatuses } from '../doctor/configuration.ts'
import { tryOwnChecks, unlistedRequirements } from '../doctor/own-checks.ts'
import { UsageError } from '../model/errors.ts'
import { exitCodes, type Io, print } from '../model/process/io.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'
import { parseAddress } from '../store/db/postgres/address.ts'
import { type AddCommand, addCommand } from './command.ts'
import { addConfigInit } from './config-init.ts'
import { catalogue, loadConfiguration } from './support/configuration.ts'
import { warn } from './support/io.ts'

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
    const { settings, source, ignoredPath } = loadConfiguration(io, command, syntaxOnly ? 'syntax' : 'check')
    const { ownChecks, server, tenants, waivers } = settings
    const tried = syntaxOnly ? [] : await tryOwnChecks(ownChecks, io.clock.now())
    const problems = [
      ...(syntaxOnly ? [] : await addressProblems(settings, io)).map((problem) => `${source}: ${problem}`),
      ...tried.flatMap(({ check, problem }) =>
        problem === null ? [] : [`${printable(`${ownChecks.folder}: ${check.file}`)}: ${problem}`],
      ),
    ]
    if (problems.length > 0) throw new ConfigError(problems)
    const own = tried.length === 0 ? '' : `, ${plural(tried.length, 'own check')}`
    print(io, `${source} is valid: ${plural(tenants.length, 'tenant')}${own}${syntaxOnly ? ' (syntax only)' : ''}`)
    warn(io, [
      ...ignoredStorePath(ignoredPath),
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
    const { written, source, ignoredPath } = loadConfiguration(io, command)
    print(io, `# ${source}\n${maskedYaml(written).trimEnd()}`)
    warn(io, ignoredStorePath(ignoredPath))
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
  for (const add of [addConfigInit, addSchema, addCheck, addPrint]) add(config, io, done)
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
