import type { Check, Failure } from '../../../src/evaluate/check.ts'
import { parseIsoDate } from '../../../src/model/dates.ts'
import type { ResourceName } from '../../../src/model/resource-names.ts'
import { type FakeMirror, fakeMirror } from '../../evaluate/support/fake-mirror.ts'

/** The instant at which checks are tested: 2026-03-01 12:00 UTC. */
export const now = parseIsoDate('2026-03-01T12:00:00Z')?.ms ?? Number.NaN

export interface Judging {
  readonly options?: Record<string, unknown>
  readonly at?: number
  readonly incomplete?: readonly ResourceName[]
  readonly knownStatuses?: readonly string[]
}

export interface Result {
  readonly applicable: boolean
  readonly population: number
  readonly notJudged: number
  readonly notJudgedFor: string
  readonly failures: readonly Failure[]
  readonly scope: (entityId: string) => Promise<string>
  readonly rule: string
}

/** Fills a mirror, judges it and gathers the failures. */
export async function judge(check: Check, fill: (mirror: FakeMirror) => void, judging: Judging = {}): Promise<Result> {
  const mirror = fakeMirror(now)
  fill(mirror)
  const judged = await check.judge({
    reader: mirror.store.records(1),
    options: judging.options ?? {},
    now: judging.at ?? now,
    context: {
      knownDocumentStatuses: judging.knownStatuses ?? ['Completed', 'Processing'],
      incomplete: new Set(judging.incomplete),
    },
  })
  const failures: Failure[] = []
  for await (const batch of judged.failures) failures.push(...batch)
  return { ...judged, failures }
}

/** `entityId severity` of each failure. */
export function brief(result: Result): string[] {
  return result.failures.map(({ entityId, severity }) => `${entityId} ${severity}`)
}

export const iso = (ms: number) => new Date(ms).toISOString()
