import type { Command } from 'commander'
import { checks, checksOf } from '../checks/index.ts'
import type { TenantSettings } from '../config/settings.ts'
import { ConfigError } from '../config/yaml/errors.ts'
import { tryOwnChecks } from '../doctor/own-checks.ts'
import type { Check } from '../evaluate/check.ts'
import { settingsOf } from '../evaluate/check-settings.ts'
import { UsageError } from '../model/errors.ts'
import { type ExitCode, exitCodes, type Io, print } from '../model/process/io.ts'
import { printable } from '../model/text/printable.ts'
import { fittingTable } from '../report/fitting-table.ts'
import { type Terminal, terminalOf, wrapLine } from '../report/terminal.ts'
import { loadConfiguration } from './support/configuration.ts'
import { note } from './support/io.ts'
import { oneOf } from './support/options.ts'
import { tryOwnCheck } from './support/try-own-check.ts'

const formats = ['table', 'json'] as const

interface ChecksOptions {
  readonly format: string
  readonly try?: string
  readonly tenant?: string
}

/** All checks, and the problems of own checks by id. */
interface Listed {
  readonly checks: readonly Check[]
  readonly problems: ReadonlyMap<string, string>
  readonly tenants: readonly TenantSettings[]
}

export function addChecks(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('checks')
    .description('list all checks, including own checks')
    .option('--format <format>', formats.join(', '), 'table')
    .option(
      '--try <file>',
      'run one own check over the mirror and print the findings that it would open; writes nothing',
    )
    .option('--tenant <name>', 'with --try: only this tenant')
    .addHelpText(
      'after',
      `
Examples:
  tenantwatch checks --format json
  tenantwatch checks --try config/own-checks/few-can-create-users.sql`,
    )
    .action(async (options: ChecksOptions, command: Command) => {
      const format = oneOf('format', formats, options.format)
      if (options.try !== undefined) {
        await tryOwnCheck(io, command, { file: options.try, format, tenant: options.tenant })
        return done(exitCodes.ok)
      }
      if (options.tenant !== undefined) throw new UsageError('--tenant is for --try: give it with that')
      const listed = await everyCheck(io, command)
      print(
        io,
        format === 'json'
          ? JSON.stringify(listed.checks.map(factsOf(listed)), null, 2)
          : catalogue(listed, terminalOf(io)),
      )
      done(exitCodes.ok)
    })
}

/** Without a valid configuration, the built-in checks only. */
async function everyCheck(io: Io, command: Command): Promise<Listed> {
  try {
    const { settings } = loadConfiguration(io, command)
    const tried = await tryOwnChecks(settings.ownChecks, io.clock.now())
    const problems = tried.flatMap(({ check, problem }) => (problem === null ? [] : [[check.id, problem] as const]))
    return { checks: checksOf(settings), problems: new Map(problems), tenants: settings.tenants }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [first = ''] = error.problems
    note(io, `Only built-in checks are listed, because there is no valid configuration: ${printable(first)}`)
    return { checks, problems: new Map(), tenants: [] }
  }
}

function catalogue(listed: Listed, terminal: Terminal | null): string {
  const { checks: all, problems } = listed
  const rows = all.map((check) => [
    check.id,
    check.severities.toReversed().join('/'),
    isBroken(check) ? '' : [check.evaluates, ...check.needs].join(', '),
    check.own === undefined ? check.title : `${check.title} (own: ${check.own.file})`,
  ])
  const broken = [...problems].map(([id, problem]) =>
    wrapLine(`\n${id} cannot be evaluated: ${printable(problem)}`, terminal),
  )
  const heading = ['CHECK', 'SEVERITY', 'READS', 'PASSES WHEN']
  // With three more columns, 80 characters leave no room for a sentence.
  const optional = terminal !== null && terminal.columns < 110 ? ['READS'] : []
  const assumed = Map.groupBy(assumptionsIn(listed), ({ assumption }) => assumption)
  const notes = [...assumed].map(([sentence, of]) => {
    return wrapLine(`\n${[...new Set(of.map(({ check }) => check))].join(', ')}: ${sentence}.`, terminal)
  })
  return fittingTable(heading, rows, terminal, { optional }) + [...broken, ...notes].join('')
}

/** Assumptions of the enabled checks for each tenant, where its configuration does not set an option. */
function assumptionsIn({ checks: all, tenants }: Listed) {
  return all.flatMap((check) =>
    tenants.flatMap((tenant) => {
      const { enabled, options } = settingsOf(check, tenant)
      const assumption = enabled ? (check.assumption?.(options) ?? null) : null
      return assumption === null ? [] : [{ check: check.id, tenant: tenant.name, assumption }]
    }),
  )
}

function isBroken({ own }: Check): boolean {
  return own !== undefined && own.problem !== null
}

function factsOf(listed: Listed) {
  const { problems } = listed
  const assumed = assumptionsIn(listed)
  return (check: Check) => {
    const { id, title, description, risk, remediation, severities, evaluates, needs, entity, frameworks, own } = check
    const facts = { id, title, description, risk, remediation, severities, evaluates, needs, entityType: entity.type }
    if (own === undefined) {
      const assumptions = assumed
        .filter((one) => one.check === id)
        .map(({ tenant, assumption }) => ({ tenant, assumption }))
      return { ...facts, assumptions }
    }
    const reads = isBroken(check) ? { evaluates: null } : {}
    return { ...facts, ...reads, own: { file: own.file, frameworks, problem: problems.get(id) ?? null } }
  }
}
