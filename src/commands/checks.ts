import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { checks, checksOf } from '../checks/index.ts'
import { queryOf } from '../checks/own/own-check.ts'
import { SandboxQueries } from '../checks/own/sandbox.ts'
import { ConfigError } from '../config/mistakes.ts'
import { type OwnCheck, type OwnChecksSettings, readOwnCheck } from '../config/own-checks.ts'
import { failingQueries } from '../doctor/own-checks.ts'
import { type Check, inputsOf } from '../evaluate/check.ts'
import { dataNotes } from '../model/describe.ts'
import { FatalError, UsageError } from '../model/errors.ts'
import type { Io } from '../model/process/io.ts'
import { membersOf } from '../model/text/formats.ts'
import { printable } from '../model/text/printable.ts'
import { addList } from './list.ts'
import { loadConfiguration, type OpenMirror, openMirror } from './support/configuration.ts'
import { configuredTenant } from './support/options.ts'

export const addChecks = addList<{ readonly try?: string; readonly tenant?: string }>({
  name: 'checks',
  summary: 'list all checks, including own checks',
  options: [
    new Option('--try <file>', 'run one own check over the mirror and list its rows that are not ok; writes nothing'),
    new Option('--tenant <name>', 'with --try: only this tenant'),
  ],
  help: `Examples:
  tenantwatch checks --format json
  tenantwatch checks --try config/own-checks/few-can-create-users.sql`,
  async run({ io, command, options, present }) {
    if (options.try !== undefined) {
      await using opened = await openMirror(io, command)
      return await present({
        ...(await tryOwnCheck(io, opened, options.try, options.tenant)),
        columns: membersOf('tenant', 'status', 'entity', 'reason'),
        table: { STATUS: 'status', TENANT: 'tenant', ENTITY: 'entity', REASON: 'reason' },
        lines: 2,
        none: 'No row is an alarm, an error or skipped.',
      })
    }
    if (options.tenant !== undefined) throw new UsageError('--tenant is for --try: give it with that')
    const { all, notes } = await everyCheck(io, command)
    return await present({
      rows: all,
      columns: {
        id: ({ check }) => check.id,
        severities: ({ check }) => check.severities,
        evaluates: ({ check }) => check.evaluates,
        needs: ({ check }) => check.needs,
        title: ({ check }) => check.title,
      },
      object: factsOf,
      table: {
        CHECK: ({ check }) => check.id,
        SEVERITIES: ({ check }) => check.severities.toReversed().join('/'),
        READS: ({ check }) => inputsOf(check).join(', '),
        'PASSES WHEN': ({ check }) =>
          check.own === undefined ? check.title : `${check.title} (own: ${check.own.file})`,
      },
      optional: ['READS', 'SEVERITIES'],
      lines: 3,
      none: 'No check is known.',
      notes,
    })
  },
})

/** A row of the query that is not `ok`; an alarm opens a finding. */
interface TriedRow {
  readonly tenant: string
  readonly status: 'alarm' | 'error' | 'skip'
  readonly entity: string
  readonly reason: string | null
}

/** @throws ConfigError with the problem that `config check` reports, FatalError when its query fails on the mirror. */
async function tryOwnCheck(
  io: Io,
  { settings, mirror, views, now }: OpenMirror,
  file: string,
  only: string | undefined,
): Promise<{ readonly rows: readonly TriedRow[]; readonly notes: readonly string[] }> {
  const wanted = configuredTenant(settings, only)
  const check = await readTried(resolve(io.cwd, file), file, settings.ownChecks, now)
  await using queries = new SandboxQueries()
  const rows: TriedRow[] = []
  const notes: string[] = []
  const known = settings.tenants.map(({ name }) => name)
  for (const { name: tenant, id } of await mirror.tenants()) {
    if (!known.includes(tenant) || (wanted !== undefined && tenant !== wanted)) continue
    const answer = await queries.ask(mirror, id, { ...queryOf(check, settings.ownChecks), now, tenant }, io.stop)
    if (answer.kind === 'failed') throw new FatalError(printable(`${file}: ${answer.problem}`))
    const { ok, alarms, errors, skipped } = answer
    for (const [entity, reason] of alarms) rows.push({ tenant, status: 'alarm', entity, reason })
    for (const [entity, reason] of errors) rows.push({ tenant, status: 'error', entity, reason })
    for (const entity of skipped) rows.push({ tenant, status: 'skip', entity, reason: null })
    const counts = `${ok} ok, ${alarms.length} alarm, ${skipped.length} skip, ${errors.length} error`
    const isEmpty = ok + alarms.length + skipped.length + errors.length === 0
    notes.push(`${tenant}: ${isEmpty ? 'the query returned no row, so nothing was evaluated' : counts}`)
  }
  notes.push(...dataNotes(await views.posture(wanted), check.inputs), 'Nothing was written.')
  return { rows, notes }
}

async function readTried(path: string, file: string, limits: OwnChecksSettings, now: number): Promise<OwnCheck> {
  const builtIn = checks.map(({ id }) => id)
  const read = readOwnCheck(path, builtIn)
  if ('problem' in read) throw new ConfigError([printable(`${file}: ${read.problem}`)])
  const [failing] = await failingQueries({ ...limits, checks: [read] }, now)
  if (failing !== undefined) throw new ConfigError([printable(`${file}: ${failing.problem}`)])
  return read
}

interface ListedCheck {
  readonly check: Check
  /** Why an own check cannot be evaluated. */
  readonly problem: string | null
}

/** Without a valid configuration, the built-in checks only. */
async function everyCheck(
  io: Io,
  command: Command,
): Promise<{ readonly all: readonly ListedCheck[]; readonly notes: readonly string[] }> {
  try {
    const { settings } = loadConfiguration(io, command)
    const failing = await failingQueries(settings.ownChecks, io.clock.now())
    const problems = new Map(failing.map(({ check, problem }) => [check.id, problem]))
    const all = checksOf(settings).map((check) => ({ check, problem: problems.get(check.id) ?? null }))
    const notes = all.flatMap(({ check, problem }) =>
      problem === null ? [] : [`${check.id} cannot be evaluated: ${printable(problem)}`],
    )
    return { all, notes }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [first = ''] = error.problems
    return {
      all: checks.map((check) => ({ check, problem: null })),
      notes: [`Only built-in checks are listed, because there is no valid configuration: ${printable(first)}`],
    }
  }
}

function factsOf({ check, problem }: ListedCheck): object {
  const { id, title, description, risk, remediation, severities, evaluates, needs, entity, frameworks, own } = check
  const facts = { id, title, description, risk, remediation, severities, evaluates, needs, entityType: entity.type }
  if (own === undefined) return facts
  return { ...facts, own: { file: own.file, frameworks, problem } }
}
