import { and, eq, sql } from 'drizzle-orm'
import { syncStates } from '../schema/index.ts'
import type { Database } from '../sqlite/database.ts'

export type SyncStateRow = typeof syncStates.$inferSelect

/** Undefined before the resource's first run ended. */
export function syncStateRow({ orm }: Database): (tenantId: number, resource: string) => SyncStateRow | undefined {
  const { tenantId, resource } = syncStates
  const row = orm
    .select()
    .from(syncStates)
    .where(and(eq(tenantId, sql.placeholder('tenantId')), eq(resource, sql.placeholder('resource'))))
    .prepare()
  return (tenantId, resource) => row.get({ tenantId, resource })
}
