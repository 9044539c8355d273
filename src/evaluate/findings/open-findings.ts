import type { FindingStore, OpenFindingDigest } from '../../store/port.ts'

export async function openFindingsOf(
  store: Pick<FindingStore, 'openDigests'>,
  tenantId: number,
  check: string,
): Promise<readonly OpenFindingDigest[]> {
  const open: OpenFindingDigest[] = []
  for await (const batch of store.openDigests(tenantId, check)) open.push(...batch)
  return open
}
