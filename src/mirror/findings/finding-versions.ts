import type { Mirror, OpenFindingStore } from '../port.ts'

/** Numbers that change with the findings of a check. They live in memory: only this engine changes findings. */
export interface FindingVersions {
  readonly of: OpenFindingStore['findingVersion']
  /** To be called in the same turn as the commit of what changed. */
  note(tenantId: number, check: string): void
  noteAll(): void
}

export function findingVersions(): FindingVersions {
  const versions = new Map<string, number>()
  let ofAll = 0
  const keyOf = (tenantId: number, check: string) => `${tenantId} ${check}`
  return {
    of: (tenantId, check) => ofAll + (versions.get(keyOf(tenantId, check)) ?? 0),
    note(tenantId, check) {
      const key = keyOf(tenantId, check)
      versions.set(key, (versions.get(key) ?? 0) + 1)
    },
    noteAll: () => void ofAll++,
  }
}

type Watched = Pick<Mirror, 'applyDecision' | 'dropAcceptances' | 'noteAcceptances' | 'noteWaiver' | 'purge'>

/** What changes beside check results how waivers stand to findings is rare: it counts for every check. */
export function watchAcceptances<T extends Watched>(
  versions: FindingVersions,
  operations: T,
): T & Pick<OpenFindingStore, 'findingVersion'> {
  return {
    ...operations,
    findingVersion: versions.of,
    applyDecision(decision, by) {
      versions.noteAll()
      return operations.applyDecision(decision, by)
    },
    dropAcceptances(tenantId, waiver) {
      versions.noteAll()
      return operations.dropAcceptances(tenantId, waiver)
    },
    noteAcceptances(tenantId, waiver, accepted, at) {
      versions.noteAll()
      return operations.noteAcceptances(tenantId, waiver, accepted, at)
    },
    noteWaiver(tenantId, waiver) {
      versions.noteAll()
      return operations.noteWaiver(tenantId, waiver)
    },
    purge(erasure) {
      versions.noteAll()
      return operations.purge(erasure)
    },
  } satisfies Watched
}
