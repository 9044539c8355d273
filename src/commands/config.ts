import type { Command } from 'commander'
import { jsonSchema } from '../config/example.ts'
import { ConfigError } from '../config/mistakes.ts'
import type { Settings } from '../config/settings.ts'
import { maskedYaml } from '../config/settings.ts'
import { urlOf } from '../daemon/open-store.ts'
import { endedWaivers, ignoredStorePath, openAddress, uncoveredStatuses } from '../doctor/config-warnings.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import { tryOwnChecks, unlistedRequirements } from '../doctor/own-checks.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { plural } from '../model/text/numbers.ts'
import { printable } from '../model/text/printable.ts'
import { parseAddress } from '../store/db/postgres/address.ts'
import { addConfigInit } from './config-init.ts'
import { catalogue, loadConfiguration } from './support/configuration.ts'
import { warn } from './support/warn.ts'

export function addConfig(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const config = program
    .command('config')
    .description('write, check or print the configuration')
    .addHelpText(
      'after',
      '\nExamples:\n  tenantwatch config schema > config/tenantwatch.schema.json\n  tenantwatch config check\n  tenantwatch config print',
    )
  addConfigInit(config, io, done)
  addSchema(config, io, done)
  config
    .command('check')
    .description('validate the configuration and list all problems')
    .option(
      '--syntax-only',
      'check keys and values only, not the files, variables and programs that they name; for a file of another machine',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  tenantwatch config check --config /etc/tenantwatch.yaml\n  tenantwatch config check --syntax-only --config overlay/tenantwatch.yaml',
    )
    .action(async ({ syntaxOnly = false }: { readonly syntaxOnly?: boolean }, command: Command) => {
      if (syntaxOnly) {
        checkSyntax(io, command)
        done(exitCodes.ok)
        return
      }
      const { settings, source, ignoredPath } = loadConfiguration(io, command, {
        checkWeb: true,
        strict: true,
        needsSecrets: true,
      })
      const { ownChecks } = settings
      const tried = await tryOwnChecks(ownChecks, io.clock.now())
      const problems = [
        ...(await addressProblems(settings, io)).map((problem) => `${source}: ${problem}`),
        ...tried.flatMap(({ check, problem }) =>
          problem === null ? [] : [`${printable(`${ownChecks.folder}: ${check.file}`)}: ${problem}`],
        ),
      ]
      if (problems.length > 0) throw new ConfigError(problems)
      const own = tried.length === 0 ? '' : `, ${plural(tried.length, 'own check')}`
      print(io, `${source} is valid: ${plural(settings.tenants.length, 'tenant')}${own}`)
      warn(io, [
        ...ignoredStorePath(ignoredPath),
        ...openAddress(settings, io.cwd),
        ...warningsOfValues(settings, io),
        ...unlistedRequirements(ownChecks),
      ])
      done(exitCodes.ok)
    })
  config
    .command('print')
    .description('the effective configuration, defaults included, secrets masked')
    .addHelpText('after', '\nExample:\n  tenantwatch config print')
    .action((_options: object, command: Command) => {
      const { written, source, ignoredPath } = loadConfiguration(io, command)
      print(io, `# ${source}\n${maskedYaml(written).trimEnd()}`)
      warn(io, ignoredStorePath(ignoredPath))
      done(exitCodes.ok)
    })
}

function addSchema(config: Command, io: Io, done: (code: ExitCode) => void): void {
  config
    .command('schema')
    .description('the JSON Schema of the configuration, for editors')
    .addHelpText('after', '\nExample:\n  tenantwatch config schema > config/tenantwatch.schema.json')
    .action(() => {
      print(io, JSON.stringify(jsonSchema(catalogue), null, 2))
      done(exitCodes.ok)
    })
}

function checkSyntax(io: Io, command: Command): void {
  const { settings, source, ignoredPath } = loadConfiguration(io, command, { syntaxOnly: true })
  print(io, `${source} is valid: ${plural(settings.tenants.length, 'tenant')} (syntax only)`)
  const open = settings.server.webConfig === null ? openAddress(settings, io.cwd) : []
  warn(io, [...ignoredStorePath(ignoredPath), ...open, ...warningsOfValues(settings, io)])
}

function warningsOfValues({ tenants, waivers }: Settings, io: Io): readonly Diagnosis[] {
  return [...tenants.flatMap(uncoveredStatuses), ...endedWaivers(waivers, io.clock.now())]
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
