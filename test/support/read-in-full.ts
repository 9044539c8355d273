import type { ResourceName } from '../../src/model/resource-names.ts'
import type { Mirror } from '../../src/store/port.ts'

/** As after a complete full sync of one page, which began and ended at `at`. */
export async function readInFull(
  mirror: Mirror,
  tenantId: number,
  resource: ResourceName,
  records: readonly Readonly<Record<string, unknown>>[],
  at: number,
): Promise<void> {
  const items = records.map((record) => ({ ok: true as const, record, extra: null, oddities: [] }))
  const whole = { startedAt: at, durationMs: 1000, serverTime: at }
  await mirror.commitPage({ tenantId, resource, items, at, requestId: 'req-1', whole, recordCreations: true })
  await mirror.closeRun({
    ...{ tenantId, resource, mode: 'full', startedAt: at, endedAt: at, dataAsOf: at, outcome: 'success' },
    ...{ reason: null, message: null, reachedEndServerTime: null, answered: { serverTime: at, at } },
    pages: 1,
  })
}
