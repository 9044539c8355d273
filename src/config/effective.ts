import { mergeApi } from './api.ts'
import { mergeChecks } from './checks.ts'
import type { Overridable } from './overridable.ts'
import { resolveResources } from './resources.ts'
import { checkFreshness } from './schedule/freshness.ts'
import type { TenantSettings } from './settings.ts'
import type { Context } from './yaml/context.ts'

/** Merges the sections of one tenant over the general ones, and validates the merged settings. */
export function effective(
  general: Overridable,
  own: Overridable | null,
  context: Context,
): Pick<TenantSettings, 'api' | 'resources' | 'checks'> {
  const { catalogue, report } = context
  const resources = resolveResources(catalogue, {
    resources: own === null ? [general.resources] : [general.resources, own.resources],
    schedule: { ...general.schedule, ...own?.schedule },
    freshness: { ...general.freshness, ...own?.freshness },
  })
  const sourceOf = (name: keyof typeof resources) => (own?.freshness[name] === undefined ? general : own)
  checkFreshness(resources, (name) => [...sourceOf(name).path, 'freshness'], report)
  const ownChecks = own === null ? null : placedChecks(own)
  return {
    api: mergeApi(general.api, own?.api ?? {}),
    resources,
    checks: mergeChecks(placedChecks(general), ownChecks, context),
  }
}

function placedChecks({ checks, path }: Overridable) {
  return { section: checks, path: [...path, 'checks'] }
}
