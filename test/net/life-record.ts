import { createHash } from 'node:crypto'
import type { Settings } from '../../src/config/settings.ts'
import { createViews } from '../../src/daemon/views.ts'
import { renderMirror } from '../../src/metrics/metrics.ts'
import type { FindingView } from '../../src/model/finding.ts'
import type { CheckView, HoldView, ResourceView } from '../../src/model/posture.ts'
import { minuteMs } from '../../src/model/time.ts'
import { personalFields } from '../../src/store/records/record-shape.ts'
import type { ChangeView } from '../../src/web/web-options.ts'
import { live } from '../simulation/lives.ts'
import type { LifeView } from '../simulation/simulate.ts'
import { minuteOf, normalizeSeries, normalizeText, withoutRequests } from './normalize.ts'

/** What a user sees of a tenant: a line each fact. */
type Sight = Readonly<Record<'findings' | 'checks' | 'holds' | 'resources' | 'changes' | 'metrics', readonly string[]>>

/** Amid all faults, at the last step in which the daemon was up, and after the recovery; null when there is no such step. */
type Sights = { faults: Sight | null; recovered: Sight | null }

export interface LifeRecord {
  /** The stored line: digests of each part, amid all faults and after the recovery. */
  readonly line: { readonly life: number } & Readonly<Record<string, string | number>>
  /** What the digests of the line are of. */
  readonly text: string
}

const steps = 10
const evaluate = { expression: '* * * * *', intervalMs: 10 * minuteMs }

/** Records lives with all faults, one after the other. */
export async function* recordLives(lives: Iterable<number>): AsyncGenerator<LifeRecord> {
  for (const life of lives) {
    const course: string[] = []
    const sights: Sights = { faults: null, recovered: null }
    const look = async (view: LifeView) => {
      const sight = await see(view)
      if (view.recoversSince !== null) {
        sights.recovered = sight
        return
      }
      const { findings, checks, holds, resources } = sight
      course[view.step] = digestOf([findings, checks, holds, resources]).slice(0, 4)
      sights.faults = sight
    }
    for await (const { violations } of live([life], { steps, faults: true, steady: true, look })) {
      const shown = { life, violations: violations.length, course: Array.from(course, (one) => one ?? '-').join(' ') }
      yield { line: { ...shown, ...digests(sights) }, text: textOf(sights) }
    }
  }
}

/** For each part the number of facts and a digest of them. */
function digests(sights: Sights): Readonly<Record<string, string>> {
  const parts = Object.entries(sights).flatMap(([moment, sight]) =>
    Object.entries(sight ?? {}).map(([part, facts]) => [`${moment} ${part}`, `${facts.length} ${digestOf(facts)}`]),
  )
  return Object.fromEntries(parts)
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
}

/** To be read beside another one. Series of 0, all after the recovery, and changes before it are in the digests alone. */
function textOf(sights: Sights): string {
  const { faults, recovered } = sights
  const series = faults?.metrics.filter((line) => !line.endsWith(' 0')) ?? []
  const shown: Record<string, Partial<Sight>> = {
    faults: { ...faults, metrics: series, changes: [] },
    recovered: { ...recovered, metrics: [] },
  }
  const parts = Object.entries(shown).flatMap(([moment, sight]) =>
    Object.entries(sight).flatMap(([part, facts]) => (facts.length === 0 ? [] : [`== ${moment} ${part}`, ...facts])),
  )
  return `${parts.join('\n')}\n`
}

async function see({ machine, settings, now, recoversSince }: LifeView): Promise<Sight> {
  const { waivers } = machine
  const ownChecks = { folder: null, checks: [] }
  // All that is asked of the settings here.
  const whole = { tenants: [settings], waivers, owners: [], evaluate, ownChecks } as unknown as Settings
  const clock = { now: () => now, monotonic: () => 0, sleep: async () => {} }
  const views = createViews(machine.mirror, whole, clock)
  const [posture] = await views.posture()
  if (posture === undefined) throw new Error('The tenant has no posture')
  const findings = await Array.fromAsync(views.findings({ states: ['open', 'waived', 'resolved'] }))
  const changes = await views.changes(settings.name, 100_000, true)
  const exposition = renderMirror('0', await views.metrics())
  const series = (await Array.fromAsync(exposition)).join('').split('\n')
  const normalized = (text: string) => normalizeText(text, recoversSince, now)
  return {
    findings: findings.map((finding) => normalized(findingLine(finding))).toSorted(),
    checks: posture.checks.map((check) => normalized(checkLine(check))),
    holds: posture.holds.map((hold) => normalized(holdLine(hold))).toSorted(),
    resources: posture.resources.map((resource) => normalized(resourceLine(resource))),
    // Of one minute, which came first is a question of milliseconds.
    changes: changes.map((change) => normalized(changeLine(change))).toSorted(),
    metrics: series
      .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('tenantwatch_build_info'))
      .map((line) => normalizeSeries(line, recoversSince, now).replace('tenantwatch_', ''))
      .toSorted(),
  }
}

const jsonOf = (value: unknown) => JSON.stringify(withoutRequests(value))

function changeLine({ at, resource, key: entity, names, kind, field, before, after }: ChangeView): string {
  const personal = field !== null && personalFields(resource).includes(field)
  return `${minuteOf(at)} ${jsonOf({ resource, entity, names, kind, field, before, after, personal })}`
}

function findingLine({ fingerprint, check, entity, severity, state, tenant: _, ...finding }: FindingView): string {
  // `lastSeen` is the time of the evaluation, which stands with the check.
  const { message, lastSeen: __, ...facts } = finding
  return `${fingerprint} ${check} ${severity} ${state} ${jsonOf(entity)} ${message} ${jsonOf(facts)}`
}

/** Without the texts that are the same for all tenants. */
function checkLine(view: CheckView): string {
  const { check, status, reason, title: _, risk, remediation, runbook, severities, evaluatedAt, since, ...facts } = view
  return `${check} ${status} ${reason} since ${minuteOf(since)}, evaluated ${minuteOf(evaluatedAt)} ${jsonOf(facts)}`
}

function holdLine({ id: _, resource, reason, count, raisedAt, ...facts }: HoldView): string {
  return `${resource} ${reason} ${count} since ${minuteOf(raisedAt)} ${jsonOf(facts)}`
}

function resourceLine({ resource, dataAsOf, modes, freshnessLimitMs: _, ...facts }: ResourceView): string {
  const runs = modes.map(({ mode, up, reason, lastAttemptAt, lastSuccessAt }) => {
    return `${mode} ${up ? 'up' : reason} ${minuteOf(lastAttemptAt)} ${minuteOf(lastSuccessAt)}`
  })
  return `${resource} as of ${minuteOf(dataAsOf)} ${jsonOf(facts)} ${runs.join(', ')}`
}
