import type { Framework } from '../checks/frameworks/framework.ts'
import { frameworks } from '../checks/frameworks.ts'
import type { CheckFacts } from '../evaluate/check.ts'
import { requirementState } from './coverage.ts'
import { type ReportFramework, requirementStates, type Standing } from './report.ts'

type Standings = ReadonlyMap<string, Standing>

/** Every framework with the standing of its requirements. */
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

/** True when an own check says in its header that it bears upon the requirement, as in `SOC 2 CC6.1` or `soc2:CC6.1`. */
function names({ own }: CheckFacts, { aliases }: Framework, requirement: string): boolean {
  return (own?.frameworks ?? []).some((text) => {
    const [, framework = '', wanted = ''] = /^(.+)[\s:]+(\S+)$/.exec(text.trim()) ?? []
    const plain = framework.toLowerCase().replace(/[^a-z\d]/g, '')
    return aliases.includes(plain) && wanted.toLowerCase() === requirement.toLowerCase()
  })
}
