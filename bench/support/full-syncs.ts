import type { Context } from './benchmark.ts'
import { runMeasured } from './measured-process.ts'

/** Full syncs of the users list in the order in which they run on one database. */
export const fullSyncs = ['first', 'unchanged', 'changed'] as const
export type FullSync = (typeof fullSyncs)[number]

/** Records that a full sync creates, updates and leaves. */
export function countsOf(fullSync: FullSync, users: number) {
  const created = fullSync === 'first' ? users : 0
  const updated = fullSync === 'changed' ? users / 100 : 0
  return { created, updated, unchanged: users - created - updated }
}

/** Runs the product's `sync` on the contents that the full sync reads. */
export async function runSync({ programs, tenant }: Context, config: string, fullSync: FullSync, users: number) {
  await tenant.fill({ users, changed: fullSync === 'changed' })
  const { created, updated, unchanged } = countsOf(fullSync, users)
  const args = ['sync', '--resource', 'users', '--full', '--config', config]
  return runMeasured(programs, programs.product, args, `+${created} ~${updated} -0 =${unchanged}`)
}
