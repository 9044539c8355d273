import { checks } from '../checks/index.ts'
import { ownChecks } from '../checks/own/own-check.ts'
import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'

/** Everything that is judged under a configuration: the catalogue, then what operators wrote. */
export function checksOf(settings: Pick<Settings, 'ownChecks'>): readonly Check[] {
  return [...checks, ...ownChecks(settings.ownChecks)]
}
