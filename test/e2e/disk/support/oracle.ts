import { type FullSyncScene, pageSize } from './full-sync-scene.ts'
import type { Look, Row } from './look.ts'

/** Fields that the list of users contains; `roleId` is read by another request and later. */
const listed = ['firstName', 'lastName', 'email', 'state', 'mfaStatus', 'mfaAction', 'roleName', 'createdAt'] as const

const plain = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value)
const shown = (row: object) => JSON.stringify(listed.map((field) => plain(Reflect.get(row, field))))

/**
 * What a disturbed full sync may have left: some of its pages whole with the full sync that counts them, or all of it; never rows
 * without their page, a page without its rows, a change without its history or a removal that nobody confirmed.
 */
export function halfDone(seen: Look, { before, after, truth, cursors }: FullSyncScene): string[] {
  const problems = [...seen.broken]
  const [fullSync, ...more] = seen.fullSyncs
  if (more.length > 0) problems.push(`${more.length + 1} full syncs of users are open`)
  const complete = seen.completeStartedAt !== before.completeStartedAt
  const pages = complete ? Math.ceil(truth.length / pageSize) : Number(fullSync?.['pages'] ?? 0)
  if (complete && fullSync !== undefined) problems.push('a full sync is complete and still open')
  const counted = fullSync === undefined ? [] : Array.from({ length: pages }, (_, index) => index + 1)
  // The reading at the end of the feed may have added its records.
  const held = fullSync?.['reached_end'] === 1 ? seen.fullSyncPages.slice(0, pages) : seen.fullSyncPages
  if (JSON.stringify(held) !== JSON.stringify(counted))
    problems.push(`the full sync counts ${pages} pages and holds ${seen.fullSyncPages}`)
  const next = fullSync?.['reached_end'] === 0 && pages > 0 ? (cursors[pages - 1] ?? null) : null
  if (fullSync !== undefined && fullSync['next_cursor'] !== next)
    problems.push('the full sync continues at another place')
  if (seen.cursor !== (complete ? after : before).cursor)
    problems.push(`the incremental sync cursor is ${seen.cursor} although complete=${complete}`)

  const old = new Map(before.users.map((row) => [row['userId'], row]))
  const now = new Map(seen.users.map((row) => [row['userId'], row]))
  const fresh = new Map(truth.map((user, index) => [user.userId, { user, page: Math.floor(index / pageSize) + 1 }]))
  for (const [userId, { user, page }] of fresh) {
    const row = now.get(userId)
    const was = old.get(userId)
    const due = page <= pages ? user : was
    if (due === undefined ? row !== undefined : row === undefined || shown(row) !== shown(due))
      problems.push(`user ${userId} of page ${page} is not as after ${pages} pages`)
    if (row?.['removed'] === 1) problems.push(`user ${userId} is a false tombstone`)
    if (row?.['missing'] === 1) problems.push(`user ${userId} is marked missing`)
  }
  for (const row of seen.users) {
    const gone = !fresh.has(Number(row['userId']))
    if (gone && row['removed'] === 1 && !complete) problems.push(`user ${row['userId']} was removed before the end`)
  }
  problems.push(...historyProblems(seen, before, old, now))
  return problems
}

/** Every difference has its row of history, and every new row its difference. */
function historyProblems(seen: Look, before: Look, old: Map<unknown, Row>, now: Map<unknown, Row>): string[] {
  const due: string[] = []
  for (const [userId, row] of now) {
    const was = old.get(userId)
    const key = String(userId)
    if (was === undefined) {
      due.push(JSON.stringify(['users', key, 'created', null, null, null]))
      continue
    }
    for (const field of listed) {
      if (was[field] === row[field]) continue
      const outcomes = (value: unknown) => JSON.stringify(field.startsWith('mfa') ? value === 1 : value)
      due.push(JSON.stringify(['users', key, 'changed', field, outcomes(was[field]), outcomes(row[field])]))
    }
    if (was['removed'] === 0 && row['removed'] === 1)
      due.push(JSON.stringify(['users', key, 'removed', null, null, null]))
  }
  const known = new Set(before.history)
  const added = seen.history.filter((line) => !known.has(line))
  return differences('history', added.toSorted(), due.toSorted())
}

/** Differences between the mirror that was disturbed and then settled, and the undisturbed one. */
export function unlike(seen: Look, after: Look): string[] {
  // A role id that the disturbed run did not look up waits for its turn.
  const rows = (look: Look) => look.users.map((row) => JSON.stringify({ ...row, roleId: undefined }))
  return [
    ...seen.broken,
    ...differences('users', rows(seen), rows(after)),
    ...differences('history', seen.history, after.history),
    ...differences('findings', seen.findings, after.findings),
    ...differences('events', seen.events, after.events),
    ...(seen.fullSyncs.length > 0 ? ['a full sync is left open'] : []),
    ...(seen.cursor === after.cursor ? [] : ['the incremental sync cursor is another one']),
  ]
}

function differences(what: string, seen: readonly string[], due: readonly string[]): string[] {
  const count = (lines: readonly string[]) => {
    const counts = new Map<string, number>()
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
    return counts
  }
  const [a, b] = [count(seen), count(due)]
  const lines = new Set([...seen, ...due])
  return [...lines].flatMap((line) => {
    const surplus = (a.get(line) ?? 0) - (b.get(line) ?? 0)
    return surplus === 0 ? [] : [`${what}: ${surplus > 0 ? 'too much' : 'lacks'} ${line}`]
  })
}
