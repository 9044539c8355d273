import type { ModeView, ResourceView, TenantPosture } from '../model/posture.ts'
import type { SyncMode } from '../model/resource-names.ts'
import type { RunResult } from '../model/run-result.ts'

type Run = Pick<RunResult, 'tenant' | 'resource' | 'mode'>

/** Runs whose end could not be stored, which the mirror would show as their predecessors. */
export class UnstoredRuns {
  readonly #runs = new Map<string, { readonly at: number; readonly message: string }>()

  failed(run: Run, message: string, at: number): void {
    this.#runs.set(nameOf(run), { at, message })
  }

  /** A stored run removes an earlier unstored one, because the mirror contains it. */
  ended(result: RunResult, at: number): void {
    const { stored, outcome, message, hint, reason } = result
    if (reason === 'aborted') {
      // It is stored, but says nothing of the one before.
      const before = this.#runs.get(nameOf(result))
      if (before !== undefined) this.#runs.set(nameOf(result), { ...before, at })
      return
    }
    if (!stored) this.failed(result, [message, hint].filter((part) => part !== null).join('. '), at)
    else if (outcome !== 'skipped') this.#runs.delete(nameOf(result))
    if (outcome === 'success' && result.mode === 'full') this.#runs.delete(nameOf({ ...result, mode: 'incremental' }))
  }

  /** The posture with these runs in place of the stored ones. */
  over(posture: TenantPosture): TenantPosture {
    if (this.#runs.size === 0) return posture
    const { tenant } = posture
    const resources = posture.resources.map((view): ResourceView => {
      const { resource } = view
      const unstored = (mode: SyncMode) => {
        const run = this.#runs.get(nameOf({ tenant, resource, mode }))
        // Another replica may have run it meanwhile.
        const storedAt = view.modes.find((one) => one.mode === mode)?.lastAttemptAt ?? 0
        return run === undefined || run.at < storedAt ? undefined : run
      }
      const modes = view.modes.map((one): ModeView => {
        const run = unstored(one.mode)
        return run === undefined ? one : { ...one, up: false, reason: 'store', lastAttemptAt: run.at }
      })
      const message = (unstored('incremental') ?? unstored('full'))?.message ?? view.message
      return { ...view, message, modes }
    })
    return { ...posture, resources }
  }
}

function nameOf({ tenant, resource, mode }: Run): string {
  return `${tenant} ${resource} ${mode}`
}
