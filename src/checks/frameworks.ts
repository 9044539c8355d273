import type { CheckFacts } from '../evaluate/check.ts'
import { cisControls } from './frameworks/cis-controls.ts'
import type { Framework } from './frameworks/framework.ts'
import { iso27001 } from './frameworks/iso-27001.ts'
import { nist80053 } from './frameworks/nist-800-53.ts'
import { pciDss } from './frameworks/pci-dss.ts'
import { soc2 } from './frameworks/soc-2.ts'

/**
 * The requirements that checks name as `soc2 CC6.1`. A check is partial evidence for them. Requirements on access,
 * authentication and configuration without a check are listed too, so that a report shows the gap.
 */
export const frameworks: readonly Framework[] = [soc2, iso27001, nist80053, pciDss, cisControls]

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
