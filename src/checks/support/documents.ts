import type { MirrorRecord } from '../../store/records/query.ts'
import { textOf, timeOf } from './records.ts'
import { onDate } from './words.ts'

export function lastTouched(document: MirrorRecord): string {
  const how = textOf(document, 'updatedAt') === null ? 'was uploaded' : 'was last updated'
  return `${how} on ${onDate(timeOf(document, 'touchedAtMs'))}`
}
