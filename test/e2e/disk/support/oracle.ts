import type { FullSyncScene } from './full-sync-scene.ts'
import type { Look, Row } from './look.ts'

/** Fields that the list of users contains; `roleId` is read by another request and later. */
const listed = ['firstName', 'lastName', 'email', 'state', 'mfaStatus', 'mfaAction', 'roleName', 'createdAt'] as const

const plain = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value)
const shown = (row: object) => JSON.stringify(listed.map((field) => plain(Reflect.get(row, field))))

/**
 * What a disturbed full sync may have left: each user as before or as the tenant has it, and each change with its event; no
 * removal that nobody confirmed, and no cursor of a full sync that has not ended. What it lost shows when it is settled.
 */
export function halfDone(seen: Look, { before, after, truth }: FullSyncScene): string[] {
  const problems = [...seen.broken]
  const isComplete = seen.completeStartedAt !== before.completeStartedAt
  if (seen.fullSyncs.length > (isComplete ? 0 : 1))
    problems.push(`${seen.fullSyncs.length} full syncs of users are open`)
  if (seen.cursor !== (isComplete ? after : before).cursor)
    problems.push(`the incremental sync cursor is ${seen.cursor} although complete=${isComplete}`)
  const old = new Map(before.users.map((row) => [row['userId'], row]))
  const now = new Map(seen.users.map((row) => [row['userId'], row]))
  const fresh = new Map(truth.map((user) => [user.userId, user]))
  for (const [userId, row] of now) {
    const user = fresh.get(Number(userId))
    const may = [old.get(userId), user].flatMap((one) => (one === undefined ? [] : [shown(one)]))
    if (!may.includes(shown(row))) problems.push(`user ${userId} is neither as before nor as the tenant has it`)
    if (row['removed'] === 1 && (user !== undefined || !isComplete))
      problems.push(`user ${userId} is a false tombstone`)
    if (row['missing'] === 1 && user !== undefined) problems.push(`user ${userId} is marked missing`)
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
