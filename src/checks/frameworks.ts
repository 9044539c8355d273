import type { CheckFacts } from '../evaluate/check.ts'
import data from './frameworks.json' with { type: 'json' }

export interface Framework {
  readonly id: string
  readonly name: string
  /** Names that checks may use, in lower case without punctuation and spaces. */
  readonly aliases: readonly string[]
  /** Titles are paraphrased, not quoted. */
  readonly requirements: readonly { readonly id: string; readonly title: string }[]
}

/**
 * The requirements that checks name as `soc2 CC6.1`. A check is partial evidence for them. Requirements on access,
 * authentication and configuration without a check are listed too, so that a report shows the gap.
 */
export const frameworks: readonly Framework[] = data

/** `soc2 CC6.1 CC6.3, cis 6.8` as `soc2 CC6.1`, `soc2 CC6.3` and `cis 6.8`. */
export function requirementsIn(text: string): readonly string[] {
  return text.split(', ').flatMap((part) => {
    const [framework, ...ids] = part.split(' ')
    return ids.map((id) => `${framework} ${id}`)
  })
}

/** True when a check names the requirement, by any name of the framework: `SOC 2 CC6.1` or `soc2:CC6.1`. */
export function isEvidenceFor(check: Pick<CheckFacts, 'frameworks'>, framework: Framework, requirement: string) {
  return check.frameworks.some((text) => names(text, framework, requirement))
}

function names(text: string, { aliases }: Framework, requirement: string): boolean {
  const [, framework = '', wanted = ''] = /^(.+)[\s:]+(\S+)$/.exec(text.trim()) ?? []
  const plain = framework.toLowerCase().replace(/[^a-z\d]/g, '')
  return aliases.includes(plain) && wanted.toLowerCase() === requirement.toLowerCase()
}

/** The given requirements that no report lists, because the framework or the requirement is unknown. */
export function unknownRequirements(given: readonly string[]): readonly string[] {
  return given.filter((text) =>
    frameworks.every((framework) => framework.requirements.every(({ id }) => !names(text, framework, id))),
  )
}
