import { brokenCheck } from '../checks/own/own-check.ts'
import type { OwnChecksSettings } from '../config/own-checks/own-check.ts'
import type { Check } from '../evaluate/check.ts'
import type { CheckStateRow } from '../mirror/port.ts'

/**
 * Own checks that have open findings but could not be read, so that nothing else tells of them: their findings stay
 * open, and a series that ended would look like findings that were fixed.
 */
export function unreadChecks(
  { folder }: Pick<OwnChecksSettings, 'folder'>,
  listed: readonly Check[],
  states: readonly CheckStateRow[],
): readonly Check[] {
  if (folder === null) return []
  const known = new Set(listed.map(({ id }) => id))
  const unread = states.filter(({ check, open }) => !known.has(check) && Object.values(open).some((count) => count > 0))
  return unread.map(({ check: id }) => brokenCheck({ id, file: folder, problem: `the file of ${id} cannot be read` }))
}
