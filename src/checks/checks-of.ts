import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { checks } from './index.ts'
import { ownChecks } from './own/own-check.ts'

/** Everything that is evaluated under a configuration: the catalogue, then what operators wrote. */
export function checksOf(settings: Pick<Settings, 'ownChecks'>): readonly Check[] {
  return [...checks, ...ownChecks(settings.ownChecks)]
}
