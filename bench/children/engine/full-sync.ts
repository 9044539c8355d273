import type { Session } from '../../../src/daemon/session.ts'
import { type ResourceName, resourceNames, type SyncMode } from '../../../src/model/resource-names.ts'
import type { RunResult } from '../../../src/sync/observer.ts'
import { timed } from '../../support/measure.ts'

const never = new AbortController().signal

/** When the last page was committed: what comes after it is the end of the full sync, removals and details. */
interface PageTimes {
  readonly lastAt: number
  readonly note: () => void
}

export function pageTimes(): PageTimes {
  const times = {
    lastAt: 0,
    note: () => {
      times.lastAt = performance.now()
    },
  }
  return times
}

/** Runs full syncs of the named resources of every tenant; a run that fails ends the benchmark. */
export async function full(
  session: Session,
  { resources, together = false }: { readonly resources: readonly string[]; readonly together?: boolean },
  pages: PageTimes,
) {
  const wanted = resourceNames.filter((name) => resources.includes(name))
  const began = performance.now()
  const { value: results, ...cost } = await timed(async () => {
    const all: RunResult[] = []
    const work = session.tenants.map(({ engine }) => async () => {
      for (const name of wanted) all.push(succeeded(await engine.run(name, 'full', never)))
    })
    if (together) await Promise.all(work.map((run) => run()))
    else for (const run of work) await run()
    return all
  })
  const sum = (of: (result: RunResult) => number) => results.reduce((total, result) => total + of(result), 0)
  return {
    ...cost,
    facts: {
      fullSyncMs: pages.lastAt - began,
      pages: sum((result) => result.pages),
      created: sum(({ counts }) => counts.created),
      updated: sum(({ counts }) => counts.updated),
      unchanged: sum(({ counts }) => counts.unchanged),
      removed: sum(({ counts }) => counts.removed),
    },
  }
}

/** How the schedule reads a resource most often. */
export function rhythmOf({ settings }: Session['tenants'][number], name: ResourceName): SyncMode {
  return settings.resources[name].incremental === null ? 'full' : 'incremental'
}

export function succeeded(result: RunResult): RunResult {
  if (result.outcome === 'success') return result
  throw new Error(`${result.mode} of ${result.resource} came to ${result.outcome}: ${result.reason} ${result.message}`)
}
