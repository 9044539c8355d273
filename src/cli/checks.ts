import type { Command } from 'commander'
import { checks } from '../checks/index.ts'
import { oneOf } from './configuration.ts'
import { type ExitCode, exitCodes, type Io, print } from './io.ts'
import { table } from './table.ts'

const formats = ['table', 'json'] as const

export function addChecks(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('checks')
    .description('the catalogue of checks')
    .option('--format <format>', formats.join(', '), 'table')
    .addHelpText('after', '\nExample:\n  tenantwatch checks --format json')
    .action((options: { readonly format: string }) => {
      const format = oneOf('format', formats, options.format)
      if (format === 'json') print(io, JSON.stringify(checks.map(factsOf), null, 2))
      else {
        const rows = checks.map((check) => [
          check.id,
          check.severities.toReversed().join('/'),
          [check.judges, ...check.needs].join(', '),
          check.title,
        ])
        print(io, table(['CHECK', 'SEVERITY', 'READS', 'PASSES WHEN'], rows))
      }
      done(exitCodes.ok)
    })
}

function factsOf({
  id,
  title,
  description,
  risk,
  remediation,
  severities,
  judges,
  needs,
  entity,
}: (typeof checks)[number]) {
  return { id, title, description, risk, remediation, severities, judges, needs, entityType: entity.type }
}
