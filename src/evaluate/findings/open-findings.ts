import type { FindingStore, OpenFindingDigest } from '../../store/port.ts'
import type { CheckFacts } from '../check.ts'

/** The findings of a check that are open before an evaluation. */
export interface OpenFindings {
  readonly byEntity: ReadonlyMap<string, OpenFindingDigest>
  /** About entities of a type that the check had before. */
  readonly ofOtherTypes: readonly OpenFindingDigest[]
}

export async function openFindingsOf(
  store: Pick<FindingStore, 'openDigests'>,
  tenantId: number,
  check: Pick<CheckFacts, 'id' | 'entity'>,
): Promise<OpenFindings> {
  const byEntity = new Map<string, OpenFindingDigest>()
  const ofOtherTypes: OpenFindingDigest[] = []
  for await (const batch of store.openDigests(tenantId, check.id)) {
    for (const finding of batch) {
      if (finding.entityType === check.entity.type) byEntity.set(finding.entityId, finding)
      else ofOtherTypes.push(finding)
    }
  }
  return { byEntity, ofOtherTypes }
}
