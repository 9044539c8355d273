import type { FindingView } from '../model/finding.ts'
import type { Serialization } from './formats.ts'

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
export const findingColumns: Serialization<FindingView> = {
  columns: ['entityType', 'entityId', ...fields],
  cells: (finding) => [finding.entity.type, finding.entity.id, ...fields.map((field) => finding[field])],
}
