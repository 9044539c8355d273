import { type Mutant, mutantsIn } from './mutants.ts'

/** Deliberate mistakes in what removes records. */
export const removalsMutants: readonly Mutant[] = [
  ...mutantsIn('src/sync/feeds/feed-full.ts', ['test/sync/user-details.test.ts'], {
    'a list that is older than an answer by id is not read once more': [
      'if (run.contradicted && !extra)',
      'if (run.contradicted && extra)',
    ],
  }),
  ...mutantsIn('src/store/sqlite/database.ts', ['test/evaluate/on-engine.test.ts'], {
    'a statement that the database refuses ends the whole evaluation': [
      " || code === 'SQLITE_ERROR') return error",
      ') return error',
    ],
  }),
  ...mutantsIn('src/sync/removals/removals.ts', ['test/sync/guard-budget.test.ts'], {
    'what was removed in the last 24 hours does not count': [
      'const counted = removed + unasked.length - replacing',
      'const counted = 0 * removed + unasked.length - replacing',
    ],
    'more than half of a list may go where the limits allow it': [
      'if (base > 1 && counted * 2 > base)',
      'if (base > 1 && counted * 2 > base && counted > maxCount)',
    ],
    'new clients do not make up for those they replace': [
      "definition.kind === 'pagedList' && now !== null",
      "definition.kind === 'feed' && now !== null",
    ],
    'a clock that was set forward ends the budget where no server time is readable': [
      'serverTime: serverTime ?? unsetAt,',
      'serverTime: serverTime ?? at,',
    ],
    'a clock that jumped while the engine was stopped empties the budget': ['openMs < dayMs ? 0', 'openMs < 0 ? 0'],
    'without a server time, clients that are new by the local clock replace removed ones': [
      'const now = confirmed ? serverTime : null',
      'const now = confirmed ? serverTime : serverTime === null ? at : null',
    ],
    'by a server time that the local clock contradicts, old clients replace removed ones': [
      'const now = confirmed ? serverTime : null',
      'const now = serverTime',
    ],
  }),
  ...mutantsIn('src/sync/details.ts', ['test/sync/removal.test.ts'], {
    'a route that denies everybody confirms removals': ['return listed.length === 0', 'return listed.length >= 0'],
  }),
  ...mutantsIn('src/store/records/removal-store.ts', ['test/sync/guard-budget.test.ts'], {
    'records that come while removals are held lift the hold a day later': [
      'Math.min(at, unsetAt, heldSince ?? at) - dayMs',
      'Math.min(at, unsetAt) - dayMs',
    ],
    'a clock that jumps forward empties the budget': ['and server_time <= @serverSince', ''],
    'a clock that is set back prolongs the budget for years': [
      'case when removed_at > @at then @at',
      'case when removed_at > @at + 1e14 then @at',
    ],
    'records created before the local clock was set back make removals look few': [
      'confirmed ? at : Number.MAX_SAFE_INTEGER',
      'at',
    ],
    'records created before the local clock was set forward make removals look few': [
      'Math.min(at, unsetAt, heldSince ?? at) - dayMs',
      'Math.min(at, heldSince ?? at) - dayMs',
    ],
    'a server time that the local clock contradicts moves the 24 hours of the budget': [
      'confirmed: Number(confirmed)',
      'confirmed: 1',
    ],
    'a removed record that is seen again still counts': [
      'if (removed === 1) yield* recent.drop(tenantId, resource, rid)',
      '',
    ],
  }),
  ...mutantsIn('src/store/sync/hold-store.ts', ['test/sync/guard-budget.test.ts', 'test/store/named-records.test.ts'], {
    'a hold that was accepted keeps its id when it is raised again': [
      ' && (yield* wasApplied.get(other.id)) === undefined',
      '',
    ],
    'a hold that changes begins again': ['if (other.cause === text && (yield', 'if (other.cause !== text && (yield'],
  }),
  ...mutantsIn('src/sync/removals/removals.ts', ['test/sync/quarantine-removal.test.ts'], {
    'a record that may be the one without a readable id counts as read': [
      '  if (fullSync.unreadable) {\n    // An absent',
      "  if (rule === 'confirm') {\n    // An absent",
    ],
  }),
  ...mutantsIn('src/store/sync/page-store.ts', ['test/sync/quarantine-removal.test.ts'], {
    'a role that may be the one without a readable id counts as read': [
      'if (written.unreadable) yield* removals.markMissing(resource, absent, page.at)',
      'if (written.unreadable) written.counts.removed = 0',
    ],
  }),
  ...mutantsIn('src/sync/removals/confirm-missing.ts', ['test/sync/removal.test.ts'], {
    'a skipped user whom the look-up shows otherwise counts as read': [
      'if ((await takeDetail(run, item, meta)).length === 0) return true',
      'await takeDetail(run, item, meta)\n  if (fullSyncs > 0) return true',
    ],
    'a user that is skipped for ever is synced in full for each time': [
      'skipped ||= fullSyncs === 1',
      'skipped = true',
    ],
  }),
  ...mutantsIn('src/sync/lists/list-full.ts', ['test/sync/empty-api-clients.test.ts'], {
    'a missing client behind an announced empty page is believed gone': [
      'if (missing.length === 0 && (believed',
      'if ((missing.length >= 0) && (believed',
    ],
    'a first list that ends with an announced empty page is believed at once': [
      'full && (state.completeStartedAt !== null ||',
      'full && (state.completeStartedAt === null ||',
    ],
    'pages of any size may come before an announced empty page': [
      'const full = first.even && second.even && sameIds',
      'const full = sameIds',
    ],
  }),
  ...mutantsIn('src/sync/lists/whole-list.ts', ['test/sync/empty-roles.test.ts'], {
    'roles that grant nothing any more are believed': ['return noGrants(beside) ?? ownRecord(', 'return ownRecord('],
    'the own role may lose the permission by which it was read': [
      'if (lost.length === 0 || granted) return null',
      'if (lost.length >= 0 || granted) return null',
    ],
  }),
  ...mutantsIn('src/sync/removals/confirm-by-time.ts', ['test/sync/confirm-documents.test.ts'], {
    'an unfinished confirmation removes documents': [
      'return { unconfirmed, refused: refused ? unconfirmed : new Set() }',
      'return { unconfirmed: new Set(), refused: new Set() }',
    ],
    'an answer without a control confirms removals': ['updated.expected > 0 || includesNever', 'updated.expected >= 0'],
    'the request by time does not go back to a document that was never updated where no other was updated': [
      'newest === null || neverUpdated.size > 0',
      'neverUpdated.size > 0',
    ],
    'an answer that leaves out other documents confirms removals': [' && updated.leftOut === 0', ''],
    'a server that ignores updatedAfter confirms removals': ['const applied = !older && ', 'const applied = '],
    'an answer whose announced page is empty confirms removals': [' && !announcedEmpty', ''],
    'after an announced empty page no answer of an earlier time is read': [
      'n < maxEarlier && answer.announcedEmpty',
      'n < 0 && answer.announcedEmpty',
    ],
    'one incomplete answer to updatedAfter is a hold': [
      'if (older || fullSyncs > fullSyncsToRemove) refused.add(rid)',
      'refused.add(rid)',
    ],
  }),
  ...mutantsIn('src/store/sync/absence.ts', ['test/sync/confirm-documents.test.ts'], {
    'a quarantined document is a control': ['and q.resource = ? and q.key', 'and q.resource = ? and 1 = 0 and q.key'],
  }),
  ...mutantsIn('src/sync/removals/confirm-by-time.ts', ['test/sync/confirm-never-updated.test.ts'], {
    'the only document that was never updated is removed by an answer that may leave such out': [
      'never.expected > 0 && never.leftOut === 0',
      'never.leftOut === 0',
    ],
    'a document that was never updated is removed by an answer without any of those': [
      'neverUpdated.has(rid) ? includesNever : includesUpdated',
      'includesUpdated',
    ],
    'documents that no request can show are removed after four full syncs': [
      'neverUpdated.has(rid) ? includesNever : includesUpdated',
      'neverUpdated.has(rid) ? includesNever || fullSyncs > 3 : includesUpdated',
    ],
    'the request by time does not go back to a document that was never updated': [
      'newest === null || neverUpdated.size > 0',
      'newest === null',
    ],
  }),
  ...mutantsIn('src/api/transport/envelope.ts', ['test/api/client.test.ts'], {
    'a 404 of a proxy removes a user': [" && isObject(body['meta'])", ''],
  }),
  ...mutantsIn('src/sync/removals/removals.ts', ['test/sync/moved-list.test.ts'], {
    'a reading that moved twice removes documents': [
      "accepted || rule === 'confirm' || !removesNone",
      "accepted || rule === 'confirm' || removesNone || true",
    ],
  }),
]
