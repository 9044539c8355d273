import type { FindingView } from './finding.ts'

/** The columns after the entity. */
const fields = [
  'fingerprint',
  'tenant',
  'check',
  'severity',
  'state',
  'message',
  'evidence',
  'firstSeen',
  'lastSeen',
  'resolvedAt',
  'resolution',
  'reopened',
  'waiver',
] as const satisfies readonly (keyof FindingView)[]

/** Of the command `findings` and `/api/v1/findings.csv`. */
export const findingColumns = {
  columns: ['entityType', 'entityId', ...fields],
  cells: (finding: FindingView) => [finding.entity.type, finding.entity.id, ...fields.map((field) => finding[field])],
}
