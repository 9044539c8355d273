import { cisControls } from './frameworks/cis-controls.ts'
import type { Framework } from './frameworks/framework.ts'
import { iso27001 } from './frameworks/iso-27001.ts'
import { nist80053 } from './frameworks/nist-800-53.ts'
import { pciDss } from './frameworks/pci-dss.ts'
import { soc2 } from './frameworks/soc-2.ts'

/**
 * Maps requirements to checks. A mapped check is partial evidence for a requirement. Requirements on access,
 * authentication and configuration without a check are listed too, so that a report shows the gap. Titles are paraphrased.
 */
export const frameworks = [soc2, iso27001, nist80053, pciDss, cisControls] as const satisfies readonly Framework[]

/** Ids of checks that map to no requirement, with the reason. */
export const unmappedChecks: Readonly<Record<string, string>> = {}
