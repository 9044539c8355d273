import { frameworks, isEvidenceFor } from '../checks/frameworks.ts'
import type { CheckFacts } from '../evaluate/check.ts'
import type { CheckView } from '../model/posture.ts'
import { shownStatus } from '../model/posture-state.ts'
import { total } from '../model/severity.ts'

/** `waived` = every failing entity is waived and all others were evaluated; `off` = switched off in the configuration. */
export const standings = ['fail', 'unknown', 'waived', 'pass', 'not_applicable', 'off'] as const
export type Standing = (typeof standings)[number]

/** Numbers of entities of a check; null = not known. */
export interface Coverage {
  /** Entities in scope, evaluated or unknown. */
  readonly entities: number | null
  /** Entities that pass, fail or are waived. */
  readonly evaluated: number | null
  readonly passing: number | null
  readonly failing: number
  readonly waived: number
  readonly unknown: number | null
}

/** The state of a requirement; `supported` = its checks pass, which proves no conformity; `no_check` = it has none. */
export const requirementStates = ['fail', 'unknown', 'waived', 'supported', 'not_applicable', 'no_check'] as const
export type RequirementState = (typeof requirementStates)[number]

export function standingOf(view: CheckView): Standing {
  return view.enabled ? shownStatus(view) : 'off'
}

/** Entities without failure count as passing only if all inputs are fresh and complete, else as unknown. */
export function coverageOf(view: CheckView): Coverage {
  const [failing, waived] = [total(view.open), total(view.waived)]
  if (view.status === 'not_applicable') return { entities: 0, evaluated: 0, passing: 0, failing, waived, unknown: 0 }
  const { entities } = view
  if (entities === null) return { entities, evaluated: null, passing: null, failing, waived, unknown: null }
  const isWhole = view.status !== 'unknown' && view.partial === undefined
  const rest = Math.max(0, entities - failing - waived)
  const unknown = isWhole ? Math.min(rest, view.notEvaluated ?? rest) : rest
  return { entities, evaluated: entities - unknown, passing: rest - unknown, failing, waived, unknown }
}

/** The first match decides. A check that is off makes the requirement unknown, like one that cannot be evaluated. */
export function requirementState(checks: readonly Standing[]): RequirementState {
  if (checks.length === 0) return 'no_check'
  if (checks.includes('fail')) return 'fail'
  if (checks.includes('unknown') || checks.includes('off')) return 'unknown'
  if (checks.includes('waived')) return 'waived'
  return checks.includes('pass') ? 'supported' : 'not_applicable'
}

export type ReportFramework = ReturnType<typeof requirementsOf>[number]
export type ReportRequirement = ReportFramework['requirements'][number]

/** Every framework with the state of each requirement, and of the checks mapped to it. */
export function requirementsOf(checks: readonly CheckFacts[], standings: ReadonlyMap<string, Standing>) {
  return frameworks.map((framework) => {
    const { id, name, requirements } = framework
    const shown = requirements.map((requirement) => {
      const evidence = checks.filter((check) => isEvidenceFor(check, framework, requirement.id))
      const mapped = evidence.map(({ id }) => ({ check: id, standing: standings.get(id) ?? ('unknown' as const) }))
      const state = requirementState(mapped.map(({ standing }) => standing))
      return { id: requirement.id, title: requirement.title, state, checks: mapped }
    })
    const counts = Object.fromEntries(
      requirementStates.map((state) => [state, shown.filter((one) => one.state === state).length]),
    ) as Readonly<Record<RequirementState, number>>
    return { id, name, counts, requirements: shown }
  })
}
