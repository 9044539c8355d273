import type { ModeView, ResourceView, TenantPosture } from '../model/posture.ts'
import type { ResourceName, SyncMode } from '../model/resource-names.ts'
import type { RunResult } from '../sync/observer.ts'

export interface UnstoredRuns {
  /** A stored run removes an earlier unstored one, because the mirror contains it. */
  ended(result: RunResult, at: number): void
  failed(run: Pick<RunResult, 'tenant' | 'resource' | 'mode' | 'message'>, at: number): void
  over(posture: TenantPosture): TenantPosture
}

interface Unstored {
  readonly at: number
  readonly message: string | null
}

export function unstoredRuns(): UnstoredRuns {
  const known = new Map<string, Unstored>()
  const keyOf = (tenant: string, resource: ResourceName, mode: SyncMode) => `${tenant} ${resource} ${mode}`

  function view(tenant: string, resource: ResourceView): ResourceView {
    const unstored = ({ mode }: ModeView) => known.get(keyOf(tenant, resource.resource, mode))
    const last = resource.modes.flatMap((mode) => unstored(mode) ?? []).toSorted((a, b) => b.at - a.at)[0]
    if (last === undefined) return resource
    const modes = resource.modes.map((mode): ModeView => {
      const run = unstored(mode)
      return run === undefined ? mode : { ...mode, up: false, reason: 'store', lastAttemptAt: run.at }
    })
    return { ...resource, message: last.message, modes }
  }

  return {
    ended({ stored, outcome, tenant, resource, mode, message, hint, reason }, at) {
      if (reason === 'aborted') return
      if (!stored)
        known.set(keyOf(tenant, resource, mode), { at, message: hint === null ? message : `${message}. ${hint}` })
      else if (outcome !== 'skipped') known.delete(keyOf(tenant, resource, mode))
      // A full sync contains what an incremental one would have read.
      if (outcome === 'success' && mode === 'full') known.delete(keyOf(tenant, resource, 'incremental'))
    },
    failed({ tenant, resource, mode, message }, at) {
      known.set(keyOf(tenant, resource, mode), { at, message })
    },
    over(posture) {
      if (known.size === 0) return posture
      return { ...posture, resources: posture.resources.map((resource) => view(posture.tenant, resource)) }
    },
  }
}
