import type { Loaded } from '../../evaluate/check.ts'
import type { MirrorRecord, RecordReader } from '../../mirror/query.ts'
import { onlyRecord } from './records.ts'

/** The entity id of findings about the tenant's sign-in policy as a whole. */
export const settingsEntityId = 'authentication-settings'

/** The authentication settings as the one thing to judge. */
export async function loadSettings(reader: RecordReader): Promise<Loaded<MirrorRecord>> {
  const settings = await onlyRecord(reader, 'authentication-settings')
  return settings === null
    ? { population: 0, candidates: [], notJudged: 1 }
    : { population: 1, candidates: [[settings]] }
}
