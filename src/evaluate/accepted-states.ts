import type { AcceptedState } from '../mirror/port.ts'
import { inputsOf } from './check.ts'
import type { CheckRun } from './check-run.ts'
import { inputQualities } from './data-quality.ts'

export async function acceptedOf({ check, request }: CheckRun): Promise<ReadonlyMap<string, AcceptedState> | null> {
  const states = await request.store.acceptedStates(request.tenant.id, check.id)
  return states && new Map(states.map((state) => [state.entityId, state]))
}

/** Stores the first accepted states, once. Requires complete data, because drift is measured from these states. */
export async function keepFirstStates(run: CheckRun): Promise<void> {
  const { check, request, quality, reader } = run
  const { store, tenant, now } = request
  if (check.drift?.states === undefined) return
  const inputs = inputQualities(quality, inputsOf(check))
  const isWhole = inputs.every(({ blocked, partial, everComplete }) => {
    return everComplete && blocked === null && partial.length === 0
  })
  if (!isWhole || (await store.acceptedStates(tenant.id, check.id)) !== null) return
  const states = [...(await check.drift.states(reader))].map(([entityId, state]) => ({ entityId, state }))
  await store.keepFirstStates(tenant.id, check.id, states, now)
}
