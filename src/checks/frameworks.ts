import { cisControls } from './frameworks/cis-controls.ts'
import type { Framework } from './frameworks/framework.ts'
import { iso27001 } from './frameworks/iso-27001.ts'
import { nist80053 } from './frameworks/nist-800-53.ts'
import { pciDss } from './frameworks/pci-dss.ts'
import { soc2 } from './frameworks/soc-2.ts'

/**
 * Which requirements the checks bear upon. A mapped check is evidence towards a requirement, never the whole of it;
 * requirements on access, authentication and configuration that no check bears upon stand here without one, so that a
 * report shows them. Titles are in our own words.
 */
export const frameworks = [soc2, iso27001, nist80053, pciDss, cisControls] as const satisfies readonly Framework[]

/** Checks that bear upon no requirement of any framework, by id, with the reason. */
export const unmappedChecks: Readonly<Record<string, string>> = {}
