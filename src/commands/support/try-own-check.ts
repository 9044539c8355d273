import { basename, dirname, resolve } from 'node:path'
import { checks } from '../../checks/index.ts'
import { dataWarningsOf, outcomesOf, queryOf } from '../../checks/own/own-check.ts'
import { SandboxQueries } from '../../checks/own/sandbox.ts'
import { ConfigError } from '../../config/mistakes.ts'
import { type OwnChecksSettings, parseChecks, readFile, type WellFormedCheck } from '../../config/own-checks.ts'
import type { TenantSettings } from '../../config/settings.ts'
import { tryOwnChecks } from '../../doctor/own-checks.ts'
import { settingsOf } from '../../evaluate/check-settings.ts'
import type { OwnAnswer } from '../../evaluate/own-query.ts'
import { toIso } from '../../model/dates.ts'
import { describeData, inWords } from '../../model/describe.ts'
import { FatalError } from '../../model/errors.ts'
import { type FindingView, fingerprintOf } from '../../model/finding.ts'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import type { OpenMirror } from './configuration.ts'
import { configuredTenant } from './options.ts'

export interface Trial {
  readonly findings: readonly FindingView[]
  readonly notes: readonly string[]
}

/** @throws ConfigError with the problem that `config check` reports, FatalError when its query fails on the mirror. */
export async function tryOwnCheck(
  io: Io,
  { settings, mirror, views, now }: OpenMirror,
  file: string,
  only: string | undefined,
): Promise<Trial> {
  const wanted = configuredTenant(settings, only)
  const check = await wellFormed(resolve(io.cwd, file), file, settings.ownChecks, now)
  await using queries = new SandboxQueries()
  const findings: FindingView[] = []
  const notes: string[] = []
  for (const { name, id } of await mirror.tenants()) {
    const one = settings.tenants.find((configured) => configured.name === name)
    if (one === undefined || (wanted !== undefined && name !== wanted)) continue
    const query = { ...queryOf(check, settings.ownChecks), now, tenant: name }
    const answer = await queries.ask(mirror, id, query, io.stop)
    if (answer.kind === 'failed') throw new FatalError(printable(`${file}: ${answer.problem}`))
    findings.push(...findingsOf(check, one, answer, toIso(now)))
    notes.push(`${name}: ${countsOf(answer)}`)
    const warning = dataWarningsOf(check.file, answer.errors)
    if (warning !== null) notes.push(`${name}: ${warning}`)
  }
  for (const posture of await views.posture(wanted))
    for (const one of describeData(posture, check.inputs)) notes.push(inWords(`${posture.tenant} ${one.subject}`, one))
  return { findings, notes: [...notes, 'Nothing was written.'] }
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
      owner: null,
      link: null,
    }
    return [finding]
  })
}

function countsOf({ ok, alarms, errors, skipped }: OwnAnswer): string {
  return `${ok} ok, ${alarms.length} alarm, ${skipped.length} skip, ${errors.length} error`
}
