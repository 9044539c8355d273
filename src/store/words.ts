import { SyncError } from '../model/errors.ts'
import { severities } from '../model/severity.ts'

/** A stored JSON text. @throws SyncError with the reason `store` when the database is damaged. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyncError('store', 'The database contains text that should be JSON and is not', {
      cause: error,
      hint: 'The database is damaged; restore a backup',
    })
  }
}

/** Expression for the severity of a finding, from 0 for the highest one; an index has the same. */
export const severityRank = `(case severity ${severities
  .toReversed()
  .map((one, rank) => `when '${one}' then ${rank}`)
  .join(' ')} end)`
