import { secondMs } from '../../model/durations.ts'
import type { Job, NoAnswer, OwnAnswer, OwnQuery } from './question.ts'
import { maxText, Sandbox } from './sandbox.ts'
import { ownViews, snapshotTables } from './views.ts'

const maxValueBytes = 2 ** 20
const maxMemoryBytes = 384 * 2 ** 20

/** A database with the records of the tenant, or `empty` tables, to validate the query. */
export type Place = { readonly file: string; readonly tenantId: number } | 'empty'

/** Runs a query that can only read, and only one tenant. @throws the signal's reason. */
export async function ask(query: OwnQuery, place: Place, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
  signal?.throwIfAborted()
  await using sandbox = new Sandbox()
  return await askIn(sandbox, query, place, signal)
}

/** @throws the signal's reason. */
export function askIn(
  sandbox: Sandbox,
  query: OwnQuery,
  place: Place,
  signal?: AbortSignal,
): Promise<OwnAnswer | NoAnswer> {
  const { timeoutMs } = query
  const problem = `it takes longer than ${timeoutMs / secondMs} s (ownChecks.timeoutSeconds)`
  return sandbox.ask<OwnAnswer>({ kind: 'query', job: jobOf(query, place) }, { timeoutMs, problem }, signal)
}

export async function tryQuery(query: OwnQuery): Promise<string | null> {
  const answer = await ask(query, 'empty')
  return answer.kind === 'failed' ? answer.problem : null
}

export function jobOf({ text, inputs, now, tenant, maxRows }: OwnQuery, place: Place): Job {
  const isEmpty = place === 'empty'
  return {
    file: isEmpty ? null : place.file,
    emptyTables: isEmpty ? snapshotTables.map(({ create }) => create(0)) : [],
    views: ownViews.map(({ name, resource, columns, body }) => ({
      name,
      columns: columns.map((column) => column.name),
      body: body(isEmpty ? 0 : place.tenantId),
      undeclared: inputs.includes(resource) ? null : resource,
    })),
    query: text,
    parameters: { now: Math.trunc(now), tenant },
    maxRows,
    maxText,
    maxValueBytes,
    maxMemoryBytes,
  }
}
