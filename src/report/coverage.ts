import type { Framework } from '../checks/frameworks/framework.ts'
import { frameworks } from '../checks/frameworks.ts'
import type { CheckFacts } from '../evaluate/check.ts'
import { total } from '../evaluate/findings/split-findings.ts'
import type { InputQuality } from '../model/data-quality.ts'
import type { CheckView } from '../model/posture.ts'
import type { UnknownReason } from '../model/reasons.ts'
import {
  type Coverage,
  type ReportFramework,
  type RequirementState,
  requirementStates,
  type Standing,
} from './report.ts'

/** A check whose failing entities are all waived is `waived`, or `unknown` while others could not be evaluated. */
export function standingOf(
  { enabled, status, open, waived }: CheckView,
  unknownReason: UnknownReason | null,
): Standing {
  if (!enabled) return 'off'
  if (status !== 'fail' || total(open) > 0 || total(waived) === 0) return status
  return unknownReason === null ? 'waived' : 'unknown'
}

/** Why further entities of a check may fail; null when all were evaluated. */
export function unknownReasonOf({ unknown }: Coverage, inputs: readonly InputQuality[]): UnknownReason | null {
  const [first] = inputs.flatMap(({ blocked, partial }) => blocked ?? partial)
  return first ?? (unknown === 0 ? null : 'ambiguous')
}

/** Entities that do not fail count as passing only when all inputs are fresh and complete, else as unknown. */
export function coverageOf(view: CheckView, inputs: readonly InputQuality[]): Coverage {
  const [failing, waived] = [total(view.open), total(view.waived)]
  if (view.status === 'not_applicable') return { entities: 0, evaluated: 0, passing: 0, failing, waived, unknown: 0 }
  const { entities } = view
  if (entities === null) return { entities, evaluated: null, passing: null, failing, waived, unknown: null }
  const isWhole = inputs.every(({ blocked, partial }) => blocked === null && partial.length === 0)
  const isKnown = view.status === 'pass' || view.status === 'fail'
  const rest = Math.max(0, entities - failing - waived)
  const unknown = isWhole && isKnown ? Math.min(rest, view.notEvaluated ?? rest) : rest
  return { entities, evaluated: entities - unknown, passing: rest - unknown, failing, waived, unknown }
}

/** First match. A check that is switched off makes it unknown, like one that cannot be evaluated. */
export function requirementState(checks: readonly Standing[]): RequirementState {
  if (checks.length === 0) return 'no_check'
  if (checks.includes('fail')) return 'fail'
  if (checks.includes('unknown') || checks.includes('off')) return 'unknown'
  if (checks.includes('waived')) return 'waived'
  return checks.includes('pass') ? 'pass' : 'not_applicable'
}

type Standings = ReadonlyMap<string, Standing>

export function requirementsOf(checks: readonly CheckFacts[], standings: Standings): readonly ReportFramework[] {
  return (frameworks as readonly Framework[]).map((framework) => {
    const { id, name, requirements } = framework
    const shown = requirements.map((requirement) => {
      const own = checks.filter((check) => names(check, framework, requirement.id)).map((check) => check.id)
      const mapped = [...requirement.checks, ...own].map((check) => {
        return { check, standing: standings.get(check) ?? ('unknown' as const) }
      })
      const state = requirementState(mapped.map(({ standing }) => standing))
      return { id: requirement.id, title: requirement.title, state, checks: mapped }
    })
    const counts = Object.fromEntries(
      requirementStates.map((state) => [state, shown.filter((one) => one.state === state).length]),
    ) as ReportFramework['counts']
    return { id, name, counts, requirements: shown }
  })
}

/** True when the header of an own check names the requirement, as in `SOC 2 CC6.1` or `soc2:CC6.1`. */
function names({ own }: CheckFacts, { aliases }: Framework, requirement: string): boolean {
  return (own?.frameworks ?? []).some((text) => {
    const [, framework = '', wanted = ''] = /^(.+)[\s:]+(\S+)$/.exec(text.trim()) ?? []
    const plain = framework.toLowerCase().replace(/[^a-z\d]/g, '')
    return aliases.includes(plain) && wanted.toLowerCase() === requirement.toLowerCase()
  })
}
