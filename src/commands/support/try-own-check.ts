import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { checks } from '../../checks/index.ts'
import { dataWarningsOf, outcomesOf, queryOf } from '../../checks/own/own-check.ts'
import { SandboxQueries } from '../../checks/own/sandbox-queries.ts'
import type { OwnChecksSettings, WellFormedCheck } from '../../config/own-checks/own-check.ts'
import { parseChecks } from '../../config/own-checks/own-checks.ts'
import { readFile } from '../../config/own-checks/read-folder.ts'
import type { TenantSettings } from '../../config/settings.ts'
import { ConfigError } from '../../config/yaml/errors.ts'
import { createViews } from '../../daemon/views.ts'
import { tryOwnChecks } from '../../doctor/own-checks.ts'
import { settingsOf } from '../../evaluate/check-settings.ts'
import type { OwnAnswer } from '../../evaluate/own-query.ts'
import { toIso } from '../../model/dates.ts'
import { FatalError } from '../../model/errors.ts'
import { type FindingView, fingerprintOf } from '../../model/finding.ts'
import { type Io, print } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { printableJson } from '../../model/text/printable-json.ts'
import { dataWarnings } from '../../report/data-warnings.ts'
import { bySeverity, findingsText } from '../../report/findings-table.ts'
import { terminalOf } from '../../report/terminal.ts'
import { loadConfiguration, openVerifiedMirror } from './configuration.ts'
import { note } from './io.ts'
import { tenantOption } from './options.ts'

interface Trial {
  readonly file: string
  readonly format: 'table' | 'json'
  readonly tenant: string | undefined
}

/** @throws ConfigError with the problem that `config check` reports, FatalError when its query fails on the mirror. */
export async function tryOwnCheck(io: Io, command: Command, { file, format, tenant }: Trial): Promise<void> {
  const { settings } = loadConfiguration(io, command)
  const wanted = tenantOption(settings, tenant)
  const now = io.clock.now()
  const check = await wellFormed(resolve(io.cwd, file), file, settings.ownChecks, now)
  await using mirror = await openVerifiedMirror(settings, io)
  await using queries = new SandboxQueries()
  const found: FindingView[] = []
  const notes: string[] = []
  for (const { name, id } of await mirror.tenants()) {
    const one = settings.tenants.find((configured) => configured.name === name)
    if (one === undefined || (wanted !== undefined && name !== wanted)) continue
    const query = { ...queryOf(check, settings.ownChecks), now, tenant: name }
    const answer = await queries.ask(mirror, id, query, io.stop)
    if (answer.kind === 'failed') throw new FatalError(printable(`${file}: ${answer.problem}`))
    found.push(...findingsOf(check, one, answer, toIso(now)))
    notes.push(`${name}: ${countsOf(answer)}`)
    const warning = dataWarningsOf(check.file, answer.errors)
    if (warning !== null) notes.push(`${name}: ${warning}`)
  }
  for (const posture of await createViews(mirror, settings, io.clock).posture(wanted))
    for (const input of check.inputs) notes.push(...dataWarnings(posture, input))
  const table = () => (found.length === 0 ? 'No finding.' : findingsText(bySeverity(found), terminalOf(io)))
  print(io, format === 'json' ? printableJson(found) : table())
  for (const line of [...notes, 'Nothing was written.']) note(io, line)
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

function findingsOf(
  check: WellFormedCheck,
  tenant: TenantSettings,
  answer: OwnAnswer,
  at: string,
): readonly FindingView[] {
  const { severity } = settingsOf(check, tenant)
  return outcomesOf(check, answer).outcomes.flatMap(([entityId, outcome]) => {
    if (outcome.kind !== 'fails') return []
    const { message, evidence } = outcome
    const identity = { tenant: tenant.name, check: check.id, entityType: check.entity, entityId }
    const finding: FindingView = {
      fingerprint: fingerprintOf(identity),
      tenant: tenant.name,
      check: check.id,
      entity: { type: check.entity, id: entityId },
      severity: severity ?? outcome.severity,
      state: 'open',
      message,
      evidence,
      firstSeen: at,
      lastSeen: at,
      resolvedAt: null,
      resolution: null,
      reopened: 0,
      waiver: null,
    }
    return [finding]
  })
}

function countsOf({ ok, alarms, errors, skipped }: OwnAnswer): string {
  return `${ok} ok, ${alarms.length} alarm, ${skipped.length} skip, ${errors.length} error`
}
