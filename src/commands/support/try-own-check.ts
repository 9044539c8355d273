import { basename, dirname, resolve } from 'node:path'
import { checks } from '../../checks/index.ts'
import { queryOf } from '../../checks/own/own-check.ts'
import { SandboxQueries } from '../../checks/own/sandbox.ts'
import { ConfigError } from '../../config/mistakes.ts'
import { type OwnChecksSettings, parseChecks, readFile, type WellFormedCheck } from '../../config/own-checks.ts'
import { tryOwnChecks } from '../../doctor/own-checks.ts'
import { dataNotes } from '../../model/describe.ts'
import { FatalError } from '../../model/errors.ts'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import type { OpenMirror } from './configuration.ts'
import { configuredTenant } from './options.ts'

/** A row of the query that is not `ok`; an alarm opens a finding. */
interface TriedRow {
  readonly tenant: string
  readonly status: 'alarm' | 'error' | 'skip'
  readonly entity: string
  readonly reason: string | null
}

/** @throws ConfigError with the problem that `config check` reports, FatalError when its query fails on the mirror. */
export async function tryOwnCheck(
  io: Io,
  { settings, mirror, views, now }: OpenMirror,
  file: string,
  only: string | undefined,
): Promise<{ readonly rows: readonly TriedRow[]; readonly notes: readonly string[] }> {
  const wanted = configuredTenant(settings, only)
  const check = await wellFormed(resolve(io.cwd, file), file, settings.ownChecks, now)
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
    notes.push(`${tenant}: ${ok} ok, ${alarms.length} alarm, ${skipped.length} skip, ${errors.length} error`)
  }
  notes.push(...dataNotes(await views.posture(wanted), check.inputs), 'Nothing was written.')
  return { rows, notes }
}

async function wellFormed(
  path: string,
  file: string,
  limits: OwnChecksSettings,
  now: number,
): Promise<WellFormedCheck> {
  const read = { files: [readFile(dirname(path), basename(path))] }
  const builtIn = checks.map(({ id }) => id)
  const [tried] = await tryOwnChecks({ ...limits, ...parseChecks(read, dirname(path), builtIn) }, now)
  if (tried?.problem !== null || tried.check.problem !== null)
    throw new ConfigError([`${printable(file)}: ${tried?.problem}`])
  return tried.check
}
