import { checks } from '../../../src/checks/index.ts'
import type { Check } from '../../../src/evaluate/check.ts'
import type { EvaluateTenant } from '../../../src/evaluate/check-run.ts'
import { evaluateTenant } from '../../../src/evaluate/evaluate-tenant.ts'
import { silentLog } from '../../../src/model/log.ts'
import { type ResourceName, resourceNames } from '../../../src/model/resource-names.ts'
import type { CheckResult } from '../../../src/store/port.ts'
import { now, settings } from '../../checks/support/facts.ts'
import { type FakeMirror, fakeMirror } from './fake-mirror.ts'
import { completeState } from './sync-states.ts'
import { type SettingsChanges, tenantSettings } from './tenant-settings.ts'

export interface Evaluating extends Partial<Pick<EvaluateTenant, 'onlyInputs' | 'signal' | 'log'>> {
  readonly at?: number
  readonly changes?: SettingsChanges
  readonly catalogue?: readonly Check[]
}

/** A result with the number of findings that it opens, and of those that it resolves by resolution. */
export function counted({ resolved, ...result }: CheckResult) {
  const groups = Map.groupBy(resolved, ({ resolution }) => resolution)
  return {
    ...result,
    opened: result.written.filter(({ kind }) => kind !== 'changed').length,
    resolved: Object.fromEntries([...groups].map(([resolution, { length }]) => [resolution, length])),
  }
}

/** Evaluates the tenant `acme`; the results by check id. */
export async function evaluate(
  mirror: FakeMirror,
  evaluating: Evaluating = {},
): Promise<Map<string, ReturnType<typeof counted>>> {
  const { at = now, changes = {}, catalogue = checks, ...more } = evaluating
  const tenant = { id: 1, settings: tenantSettings(changes) }
  const outcomes = await evaluateTenant({
    store: mirror.store,
    tenant,
    checks: catalogue,
    now: at,
    log: silentLog(),
    ...more,
  })
  return new Map(outcomes.map((outcome) => [outcome.check, counted(outcome)]))
}

/** A mirror with the settings of a tenant that has nothing to hide. */
export function soundMirror(): FakeMirror {
  const mirror = fakeMirror(now)
  mirror.put('authentication-settings', settings())
  mirror.put('permissions', { permissionId: 1, name: 'read', code: 'Api_Users_Read' })
  return mirror
}

/** As if every resource, or those named, had just been read in full completely. */
export function resync(mirror: FakeMirror, at: number, resources: readonly ResourceName[] = resourceNames): void {
  for (const name of resources) mirror.quality[name].state = completeState(name, at)
}

/** `state resolution` of the findings of a check, by entity. */
export function lifeOf(mirror: FakeMirror, check: string): Record<string, string> {
  const own = [...mirror.findings.values()].filter((finding) => finding.check === check)
  return Object.fromEntries(own.map(({ entityId, resolution }) => [entityId, resolution ?? 'open']))
}
