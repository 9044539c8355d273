import type { Command } from 'commander'
import { maskedYaml } from '../config/masked-yaml.ts'
import { loadConfiguration } from './configuration.ts'
import { type ExitCode, exitCodes, type Io, print } from './io.ts'

export function addConfig(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const config = program
    .command('config')
    .description('look at the configuration')
    .addHelpText('after', '\nExamples:\n  tenantwatch config check\n  tenantwatch config print')
  config
    .command('check')
    .description('validate the configuration; every problem in one go')
    .addHelpText('after', '\nExample:\n  tenantwatch config check --config /etc/tenantwatch.yaml')
    .action((_options: object, command: Command) => {
      const { settings, source } = loadConfiguration(io, command, true)
      const { length } = settings.tenants
      print(io, `${source} is valid: ${length} ${length === 1 ? 'tenant' : 'tenants'}`)
      done(exitCodes.ok)
    })
  config
    .command('print')
    .description('the effective configuration, defaults included, secrets masked')
    .addHelpText('after', '\nExample:\n  tenantwatch config print')
    .action((_options: object, command: Command) => {
      const { settings, source } = loadConfiguration(io, command)
      print(io, `# ${source}\n${maskedYaml(settings).trimEnd()}`)
      done(exitCodes.ok)
    })
}
