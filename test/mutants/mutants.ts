/** One deliberate mistake: a place in the sources, what it becomes, and the tests that must notice. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Test files or folders that are run against it; at least one test must fail. */
  readonly tests: readonly string[]
}

/** Mistakes in one file that the same tests must notice: by name, a place in the source and what it becomes. */
export function mutantsIn(
  file: string,
  tests: readonly string[],
  mistakes: Readonly<Record<string, readonly [find: string, replace: string]>>,
): readonly Mutant[] {
  return Object.entries(mistakes).map(([name, [find, replace]]) => ({ name, file, find, replace, tests }))
}

export const mutants: readonly Mutant[] = [
  ...mutantsIn('src/store/sync/page-store.ts', ['test/store/writing.test.ts'], {
    'a detail that was supplied gives its resource no other version': [
      'database.write(detail,',
      "database.write('nothing',",
    ],
  }),
  ...mutantsIn('src/store/sync/tenant-store.ts', ['test/forgotten-steps.test.ts'], {
    'a step of a store operation is not taken': [
      'yield* putChange(tenantId, { changeAccepted, former:',
      'putChange(tenantId, { changeAccepted, former:',
    ],
  }),
  ...mutantsIn('src/store/sync/full-sync-store.ts', ['test/store/writing.test.ts'], {
    'an operation writes outside of a transaction': [
      "database.write('nothing', () => noteWait.run({ until, tenantId, resource }))",
      'database.read(() => noteWait.run({ until, tenantId, resource }))',
    ],
  }),
  ...mutantsIn('src/store/sync/page-store.ts', ['test/store', 'test/sync/guard'], {
    'the cursor is stored although its page was refused': [
      '    if (page.admit !== undefined',
      '    if (page.cursor !== undefined) yield* putState(page.tenantId, page.resource, { cursor: page.cursor })\n    if (page.admit !== undefined',
    ],
  }),
  ...mutantsIn('src/sync/feeds/feed-full.ts', ['test/sync/lost-cursor-documents'], {
    'a cursor that cannot be read from keeps full syncs from completing': [' || isUnreadable(run, error)', ''],
    'one failure of a cursor is its loss': [' && cursorFails(run)', ''],
  }),
  ...mutantsIn('src/sync/feeds/feed-pages.ts', ['test/sync'], {
    'a full sync that failed counts as one that reached the end': [
      'if (!cursorRefused(error) || restarted) throw error',
      'if (!cursorRefused(error) || restarted) return { ...fullSync, reachedEnd: true }',
    ],
  }),
  ...mutantsIn('src/sync/feeds/feed-pages.ts', ['test/sync/protocol-pages.test.ts'], {
    'a full sync whose page was refused continues after it': [
      'if (error instanceof PageRefused) await',
      'if (error === null) await',
    ],
  }),
  ...mutantsIn('src/store/sync/full-sync-store.ts', ['test/sync/moved-list.test.ts'], {
    'a list that moved while it was read counts as complete': [
      'if (shown.hasAny(page)) {',
      'if (shown.hasAny(page) && fullSyncId < 0) {',
    ],
    'a list that always moves is read again with each run': [
      'if (again) yield* insertAgain',
      'if (again && at < 0) yield* insertAgain',
    ],
  }),
  ...mutantsIn('src/api/decode/values.ts', ['test/api/decode', 'test/hostile'], {
    'the text "false" is taken for a true flag': [
      "value: unknown): boolean {\n  if (typeof value === 'boolean') return value",
      "value: unknown): boolean {\n  if (typeof value === 'boolean' || typeof value === 'string') return Boolean(value)",
    ],
  }),
  ...mutantsIn('src/api/transport/outcome.ts', ['test/api/'], {
    'a redirect is read as an answer of the tenant': [
      "isRedirect(status) ? 'redirect' : 'protocol'",
      "isRedirect(status) ? 'server_error' : 'protocol'",
    ],
  }),
  ...mutantsIn('src/api/read-call.ts', ['test/api/'], {
    'a 401 is read as an absent resource': [
      'const denial = status === 404 && call.absentOn404 ? denialIn(outcome) : null',
      'const denial = (status === 404 || status === 401) && call.absentOn404 ? denialIn(outcome) : null',
    ],
  }),
  ...mutantsIn('src/sync/lists/list-full.ts', ['test/sync'], {
    'an ignored cursor of the API clients is not noticed': [
      'if (repeated.length * 2 > keys.length && !(isOther && pages.isUnwritten())) throw',
      'if (repeated.length > 1000) throw',
    ],
    'an empty list of API clients is the truth at once': [
      "if (state.emptyAccepted !== 'list') throw",
      'if (false) throw',
    ],
  }),
  ...mutantsIn('src/store/sync/known-list.ts', ['test/sync/steady-incremental.test.ts', 'test/sync/removal.test.ts'], {
    'a record that a list lacks is overlooked, as all others are known': [
      '(yield* removals.live(tenantId, resource)).length !== good.length',
      '(yield* removals.live(tenantId, resource)).length < good.length',
    ],
  }),
  ...mutantsIn('src/store/sync/known-list.ts', ['test/sync/steady-incremental.test.ts', 'test/sync/hold'], {
    'a hold outlives the list that gives no cause for it': [
      'return (yield* unsettled.get({ tenantId, resource })) === undefined',
      'return unsettled !== undefined',
    ],
  }),
  ...mutantsIn('src/sync/lists/page-buffer.ts', ['test/sync/steady-incremental.test.ts'], {
    'however large the pages of a list are, they are held until it is whole': [' && room >= 0)', ')'],
    'pages of a list that are of before a decision on the tenant are written after it': [
      'if (run.decisionVersion() !== decisionVersion)\n',
      'if (run.decisionVersion() < decisionVersion)\n',
    ],
    'pages of a list that were read before a hold are written under it': ['run.guard.insist()', 'run.guard.covers(0)'],
  }),
  ...mutantsIn('src/metrics/exposition.ts', ['test/metrics'], {
    'NaN is exported': ['if (Number.isNaN(value)) throw', 'if (Number.isNaN(0)) throw'],
  }),
  ...mutantsIn('src/metrics/inventory/described-gauge.ts', ['test/metrics'], {
    'a count of users is preinitialized at a false zero': ['if (!complete) return\n', ''],
  }),
  ...mutantsIn('src/model/dates.ts', ['test/model'], {
    'a date without an offset is read in the local zone': [
      'date.setUTCHours(h, mi - offset, s,',
      'if (zulu === undefined && sign === undefined) date.setUTCHours(h + 5, mi, s); else date.setUTCHours(h, mi - offset, s,',
    ],
  }),
  ...mutantsIn('src/model/dates.ts', ['test/api/decode', 'test/model', 'test/hostile'], {
    'an impossible day is moved to the next month': ['d > daysInMonth(y, mo)', 'd > 31'],
  }),
  ...mutantsIn('src/store/sqlite/open-database.ts', ['test/store'], {
    'commits are no longer forced to the disk': [
      "  raw.pragma('synchronous = FULL')\n  if",
      "  raw.pragma('synchronous = NORMAL')\n  if",
    ],
  }),
  ...mutantsIn('src/sync/removals/removals.ts', ['test/sync'], {
    'the shrink guard lets everything pass': [
      'if (why === null) return { due, held: [], why }',
      'if (live >= 0) return { due, held: [], why: null }',
    ],
    'a missing user is removed without asking for it': [
      "const removeNow = rule === 'two-full-syncs' ? allowed : []",
      'const removeNow = allowed',
    ],
  }),
  ...mutantsIn('src/store/records/record-tables.ts', ['test/store', 'test/sync/user-details.test.ts'], {
    'the null roleId of the list overwrites a known one': [
      'field.unstatedInList !== undefined)',
      'field.unstatedInList === undefined)',
    ],
  }),
  ...mutantsIn('src/model/data-quality.ts', ['test/evaluate', 'test/checks'], {
    'a check result is shown however old its inputs are': ["? null : 'stale'", '? null : null'],
  }),
  ...mutantsIn('src/model/decide-status.ts', ['test/evaluate'], {
    'a partial input does not keep a check from passing': [
      'if (partial !== undefined) return',
      'if (partial === undefined && timeBased && !timeBased) return',
    ],
  }),
  ...mutantsIn('src/evaluate/findings/resolve-finding.ts', ['test/evaluate'], {
    'findings are resolved on unreliable inputs': [
      'if (evaluated === null || !isFreshAndComplete(ending)) return null',
      'if (evaluated === null) return null',
    ],
    'a record whose row is gone counts as removed': [
      "(await store.isTombstone(tenantId, check.evaluates, entityId)) ? 'entity_removed' : null",
      "'entity_removed'",
    ],
  }),
  ...mutantsIn('src/sync/removals/confirm-by-time.ts', ['test/sync'], {
    'a document is removed after one absence': [
      'export const fullSyncsToRemove = 2',
      'export const fullSyncsToRemove = 1',
    ],
  }),
  ...mutantsIn('src/api/credentials/own-secrets.ts', ['test/api/secrecy.test.ts'], {
    'a cursor may contain most of the token': [
      "partsOf(secret).join('').length - unguessable",
      "partsOf(secret).join('').length",
    ],
    'a cursor may contain the token': ['if ((await inSteps(placesOf(normal, bytes))).length > 0) return true', ''],
  }),
  ...mutantsIn('src/api/credentials/secret.ts', ['test/api/', 'test/secrets'], {
    'the token prints itself': [
      '  toString(): string {\n    return redacted',
      '  toString(): string {\n    return this.#text',
    ],
  }),
  ...mutantsIn('src/sync/lists/list-full.ts', ['test/sync/contradicting-servers.test.ts'], {
    'one reading changes an API client': [
      'if (!isDoubted && !isConfirmed) await insistOnOneState(run, definition, pages)',
      '',
    ],
    'an older list of API clients renews their freshness after a contradiction': [
      'if (isDoubted) await insistOnOneState(run, definition, pages)',
      '',
    ],
  }),
  ...mutantsIn('src/store/copy/copy-mirror.ts', ['test/store/db/postgres/copy.test.ts'], {
    'a decision made while a copy is verified is lost': ['  source.insistOnUnchanged()\n', ''],
  }),
  ...mutantsIn('src/evaluate/findings/close-findings.ts', ['test/evaluate/'], {
    'a check that was switched off keeps its last result': [' || state.status !== ending.status', ''],
  }),
  ...mutantsIn('src/api/limits/rate-limiter.ts', ['test/api/'], {
    'a stated wait is cut short': ['this.#clock.monotonic() + waitMs', 'this.#clock.monotonic() + waitMs / 2'],
    'one endpoint that always wants to wait stops the whole tenant': [
      'for (const other of this.#waiting.keys()) this.#waiting.set(other, true)',
      '',
    ],
    'a wait of an endpoint that succeeded meanwhile is taken for its own': ['this.#waiting.delete(endpoint)', ''],
  }),
  ...mutantsIn('src/api/limits/concurrency.ts', ['test/api/limits'], {
    'a tenant that answers 429 gets as many requests at a time': ['/ 2))', '))'],
  }),
  ...mutantsIn('src/api/limits/rate-limiter.ts', ['test/api/', 'test/sync/limits-rate.test.ts'], {
    'a stated wait runs on the wall clock': [
      'this.#clock = clock',
      'this.#clock = { ...clock, monotonic: () => clock.now() }',
    ],
    'a stated wait is unknown to the process after a kill': ['await this.#store(0)\n', 'await Promise.resolve()\n'],
  }),
  ...mutantsIn('src/model/text/csv.ts', ['test/commands', 'test/hostile'], {
    'a CSV cell may begin a formula': ['escape_formulas: true', 'escape_formulas: false'],
  }),
  ...mutantsIn('src/model/text/printable.ts', ['test/commands', 'test/hostile', 'test/web'], {
    'control characters reach the terminal': ['    .replace(/[\\p{Cc}', '    .replace(/[\\p{Co}'],
  }),
  ...mutantsIn('src/store/sync/page-writing.ts', ['test/store', 'test/sync/quarantine.test.ts'], {
    'a quarantined record does not count as seen': [
      'if (before === undefined || before.removed) continue',
      'if (before === undefined || !before.removed) continue',
    ],
  }),
  ...mutantsIn('src/web/basic-auth.ts', ['test/web'], {
    'a header that once let a user in lets in a user who has that name no longer': [
      'if (isUser && accepted.has(id))',
      'if (accepted.has(id))',
    ],
  }),
  ...mutantsIn('src/web/live-web.ts', ['test/web'], {
    'an emptied web configuration opens the server': [
      'if (isProtected(now) && !isProtected(next))',
      'if (isProtected(now) && isProtected(next) && now === next)',
    ],
  }),
  ...mutantsIn('src/daemon/change-tenants.ts', ['test/daemon/reload.test.ts'], {
    'a reload does not wait for the runs of a tenant that changes': [
      'await Promise.all(closed.map(({ scope }) => scope.end()))',
      'await Promise.all(closed.map(async () => {}))',
    ],
  }),
  ...mutantsIn('src/daemon/reload.ts', ['test/daemon/reload-web'], {
    'a reload brings the web configuration into force after all else': [
      'await session.reconfigure(next, () => live.use(web))',
      'await session.reconfigure(next).finally(() => live.use(web))',
    ],
  }),
  ...mutantsIn('src/commands/program.ts', ['test/commands/program'], {
    'a usage error repeats whatever was typed': [
      'outputError: () => {},',
      'outputError: (text, write) => write(text),',
    ],
  }),
  ...mutantsIn('src/store/sqlite/connection.ts', ['test/store/busy-timeout'], {
    'every write waits again for a program that holds the database': [
      'if (isLong) wait(shortTimeoutMs)',
      'if (isLong) wait(longTimeoutMs)',
    ],
  }),
  ...mutantsIn('src/store/sync/lookup-store.ts', ['test/sync/removal.test.ts'], {
    'those asked for by id take no turns': [
      'order by r.lookup_turn nulls first, a.rid is null',
      'order by a.rid is null',
    ],
  }),
  ...mutantsIn('src/sync/removals/removals.ts', ['test/sync/clock-set.test.ts'], {
    'the wall clock measures the duration of a full sync': [
      'durationMs: fullSyncMs(run),',
      'durationMs: at - fullSync.startedAt,',
    ],
  }),
  ...mutantsIn('src/store/sync/sync-states.ts', ['test/sync/clock-set.test.ts'], {
    'a success keeps its time ahead of a clock that was set back': [
      '...(before && timesBefore(startedAt, before)), ',
      '',
    ],
  }),
  ...mutantsIn('src/store/sqlite/engine-lock.ts', ['test/store'], {
    'a second engine works on the same database': ["lock.pragma('locking_mode = EXCLUSIVE')", ''],
  }),
  ...mutantsIn('src/store/sqlite/open-database.ts', ['test/secrets/privacy.test.ts'], {
    'what is erased can still be read in the file': ["raw.pragma('secure_delete = ON')", ''],
  }),
  ...mutantsIn('src/api/transport/value-cap.ts', ['test/faults/body.test.ts'], {
    'an answer may hold objects of any number of shapes': [
      'if (shapes.size > maxShapes) return',
      'if (shapes.size > 10 * maxShapes) return',
    ],
    'one object may have any number of fields': [
      'if (fields > maxFields) return',
      'if (fields > 100 * maxFields) return',
    ],
  }),
  ...mutantsIn('src/evaluate/evaluate-check.ts', ['test/evaluate/passing-time.test.ts'], {
    'as many failures are the same failures': [
      'later.digest() === present.digest()',
      'later.size() === present.size()',
    ],
    'a window between two looks ahead is passed over': ['Math.min(longestLookMs, shortestMs)', 'longestLookMs'],
  }),
  ...mutantsIn('src/sync/tenant-engine.ts', ['test/sync/stale-answers.test.ts'], {
    'a full sync goes on although an answer after its last page was old': [
      "if (reason === 'stale_answer' && run.mode === 'full') await",
      "if (reason === 'stale_answer' && run.pages < 0) await",
    ],
  }),
  ...mutantsIn('src/sync/lists/list-full.ts', ['test/sync/moved-list.test.ts'], {
    'API clients are removed while others are on two pages': [
      '  if (first.scrambled) throw scrambled(definition)\n',
      '',
    ],
    'API clients are removed without another reading of the list': [
      '!first.gap && (await losesSome(run, fullSync)) &&',
      'first.gap && (await losesSome(run, fullSync)) &&',
    ],
    'API clients are removed although two readings of the list differ': [
      'const agrees = sameIds(first.ids, again.ids)',
      'const agrees = true',
    ],
  }),
  ...mutantsIn('src/api/decode/withheld.ts', ['test/api/decode/withheld.test.ts'], {
    'a GUID hides the code around it': ['(?<![\\w+=-])', ''],
  }),
  ...mutantsIn('src/api/answer-times.ts', ['test/api/answer-times.test.ts'], {
    'a replay to a new process counts': ['return this.#newest ?? this.#floor', 'return this.#newest'],
  }),
  ...mutantsIn('src/sync/tenant-engine.ts', ['test/sync/access-denied.test.ts'], {
    'a lacking permission counts as a refused token': [
      "reason === 'unauthorized' && known?.undecided === false",
      "reason === 'unauthorized' && known !== null",
    ],
  }),
  ...mutantsIn('src/evaluate/read-posture.ts', ['test/commands/passed-thresholds.test.ts'], {
    'a pass is shown after its threshold': [' && now <= (state?.validUntil ?? now)', ''],
  }),
  ...mutantsIn('src/evaluate/read-posture.ts', ['test/evaluate/read-posture.test.ts'], {
    'a result counts although later ones cannot be stored': [' && !evaluationFails', ''],
  }),
  ...mutantsIn('src/daemon/evaluate.ts', ['test/daemon/evaluate.test.ts'], {
    'an evaluation of some inputs hides that the whole one fails': [
      'if (how.onlyInputs === undefined) failures',
      'failures',
    ],
  }),
  ...mutantsIn('src/store/findings/confirmations.ts', ['test/commands/passed-thresholds.test.ts'], {
    'a report of the past shows a pass after its threshold': [' || (validUntil !== null && at > validUntil)', ''],
  }),
  ...mutantsIn('src/store/findings/result-store.ts', ['test/commands/passed-thresholds.test.ts'], {
    'a fail is shown after its threshold': [
      "decided.status === 'unknown' ? undefined",
      "decided.status !== 'pass' ? undefined",
    ],
  }),
  ...mutantsIn('src/evaluate/evaluate-check.ts', ['test/commands/passed-thresholds.test.ts'], {
    'a threshold of the severity is no threshold': [
      'for (const { entityId, severity } of batch) hash',
      "for (const { entityId, severity } of batch.map((one) => ({ ...one, severity: '' }))) hash",
    ],
  }),
  ...mutantsIn('src/daemon/jobs.ts', ['test/daemon/thresholds.test.ts'], {
    'a threshold between two ticks waits for the tick': [
      'session.evaluateAfter(tenant, validUntil)',
      'void tenant, validUntil',
    ],
  }),
  ...mutantsIn('src/sync/contract-events.ts', ['test/faults/records.test.ts'], {
    'a tenant that makes up field names fills log and memory': [' || total >= mostEvents', ''],
  }),
  ...mutantsIn('src/web/request-listener.ts', ['test/web/in-turn'], {
    'requests sent ahead are all answered at once': ['const inTurn = queues.get(socket) ??', 'const inTurn ='],
  }),
  ...mutantsIn('src/web/connection-limit.ts', ['test/web/abuse.test.ts'], {
    'readers that hardly read lock everybody else out': ['      first(late, (one) => among.has(one)) ??\n', ''],
  }),
  ...mutantsIn('src/report/findings-notes.ts', ['test/commands/sync.test.ts'], {
    'an unknown check does not fail a strict round': ['...(unknown === 0 ? [] : [', '...(unknown >= 0 ? [] : ['],
    'a failed run does not fail a strict round': ['  causes.push(', '  void [].concat('],
  }),
  ...mutantsIn('src/store/own-checks/answer.ts', ['test/store/own-query.test.ts'], {
    'an own query reads a table under the borrowed name of a view': [
      "if (hidden.has(String(by)) || table === 'json_each'",
      "if (undeclared.has(String(by)) || table === 'json_each'",
    ],
    'an own query reads what its inputs do not name': [
      "if (typeof input === 'string') return deny",
      "if (typeof input === 'number') return deny",
    ],
    'an own query counts the rows of any table': [
      'const isClause = schema === null && !taken.has(table) && !isSystem(table)',
      'const isClause = schema === null',
    ],
  }),
  ...mutantsIn('src/evaluate/evaluate-tenant.ts', ['test/checks/own'], {
    'an own query that fails is asked at each evaluation': [
      'if (!isTransient) onceCommitted(() => memory?.keep(tenant.id, check.id, basis, outcome, always))',
      '',
    ],
    'findings close although their own check may be one that cannot be read': [
      'if (request.keepUnlisted === true)',
      'if (request.keepUnlisted === undefined)',
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', ['test/checks/own'], {
    'an own check passes on inputs older than it allows': [
      'if (maxAgeMs === undefined) return inputs',
      'if (maxAgeMs !== null) return inputs',
    ],
  }),
  ...mutantsIn('src/config/own-checks/own-checks.ts', ['test/config/own-checks'], {
    'an own check that reads the clock is remembered': [
      'return timeWords.test(query)',
      "return query.includes(':now')",
    ],
  }),
  ...mutantsIn('src/evaluate/check.ts', ['test/checks/own'], {
    'a broken own check is not applicable where nothing is read': [
      'own === undefined || own.problem === null ? [evaluates, ...needs] : []',
      '[evaluates, ...needs]',
    ],
  }),
  ...mutantsIn('src/model/text/redact-finding.ts', ['test/commands/own-checks.test.ts'], {
    'the sentence of an own check is shown where names are hidden': [
      'isOwn ? hidden : withoutEmails(',
      'withoutEmails(',
    ],
  }),
  ...mutantsIn('src/store/findings/staged-findings.ts', ['test/evaluate/waivers'], {
    'a client that was created again keeps its waiver over an answer without its creation': [
      'return comparable(before) === comparable(after) && isSameCreation(before, after)',
      'return comparable(before) === comparable(after)',
    ],
    'a waiver covers a finding whatever became of its facts': ['and w.facts <> d.facts', 'and false'],
  }),
  ...mutantsIn('src/evaluate/findings/split-findings.ts', ['test/evaluate/waivers'], {
    'a lapse is forgotten at the scrape of a waiver for all': [
      'minus(all, await uncovered(request, forAll, lapseCounts, named))',
      'all',
    ],
  }),
  ...mutantsIn('src/evaluate/waivers/note-waivers.ts', ['test/evaluate/waivers'], {
    'a waiver accepts the facts that came after it was written': ['await acceptStored(request, waiver, terms)', ''],
  }),
  ...mutantsIn('src/evaluate/evaluate-check.ts', ['test/evaluate', 'test/checks/role-permissions-unchanged'], {
    'drift of roles is measured from half a picture': [
      'everComplete && blocked === null && partial.length === 0',
      'everComplete || blocked === null',
    ],
  }),
  ...mutantsIn('src/web/calendar.ts', ['test/web/calendar'], {
    'a text of the tenant begins a line of the calendar': ['return printable(text, longest)', 'return text'],
  }),
  ...mutantsIn('src/web/shown-findings.ts', ['test/web/page-parts', 'test/web/findings-route.test.ts'], {
    'the page finds by a text what it may not show': [
      'shown.filter((finding) => hasText(finding, wanted))',
      'shown.filter((_, i) => hasText(batch[i] as FindingView, wanted))',
    ],
  }),
  ...mutantsIn('src/web/page/checks.ts', ['test/web/page-parts'], {
    'the page shows no failures of a check that is unknown as zero': [
      "const isOpenEnded = status === 'unknown'",
      'const isOpenEnded = false && status !== null',
    ],
  }),
  ...mutantsIn('src/web/page/load-page.ts', ['test/web/page-parts'], {
    'the page shows the old and new name of a person': [
      'exposeDetails ? changes : changes.map(withoutChangeDetails)',
      'changes',
    ],
  }),
  ...mutantsIn('src/report/ocsf.ts', ['test/report/ocsf'], {
    'a finding whose rule ended passes in the eyes of others': [
      "resolution === 'fixed' ? findingStatuses.resolved : findingStatuses.archived",
      'findingStatuses.resolved',
    ],
  }),
  ...mutantsIn('src/doctor/probe-tenant.ts', ['test/commands/doctor/doctor'], {
    'the doctor waits for every endpoint of an unreachable tenant': [
      'const unreachableAfter = 2',
      'const unreachableAfter = 99',
    ],
  }),
  ...mutantsIn('src/commands/doctor.ts', ['test/commands/doctor/doctor'], {
    'the doctor asks as fast as it may beside an engine': ['facts?.lock.held !== false)', 'facts?.lock.held === null)'],
  }),
  ...mutantsIn('src/doctor/database.ts', ['test/commands/doctor/store'], {
    'the doctor calls a database sound that it did not read': ['    await mirror.verify(signal)\n', ''],
  }),
  ...mutantsIn('src/web/openapi/schemas.ts', ['test/web/openapi'], {
    'a field of an answer is not described': ['    quarantined: count,\n', ''],
  }),
  ...mutantsIn('src/store/findings/confirmations.ts', ['test/store/record', 'test/commands/as-of'], {
    'the record does not show that no evaluation took place': [
      'return at - evaluatedAt > currentForMs || at < evaluatedAt',
      'return at - evaluatedAt > 1000 * currentForMs',
    ],
  }),
  ...mutantsIn('src/store/history/record-as-of.ts', ['test/commands/as-of'], {
    'a report after the clock was set back shows an earlier state': ['floor[table] ?? 0', '0 * (floor[table] ?? 0)'],
  }),
  ...mutantsIn('src/store/records/record-retention.ts', ['test/store/record', 'test/commands/as-of'], {
    'what still held is erased with what is outdated': [
      'and id not in (select max(id)',
      'and 0 not in (select max(id)',
    ],
  }),
  ...mutantsIn('src/report/waiver-events.ts', ['test/commands/waivers.test.ts'], {
    'a waiver that was removed or replaced ends once more': ['isOver || isReplaced ? []', 'isOver ? []'],
    'a removed waiver lapses': ["kind !== 'removed' || event.kind", "kind !== 'ended' || event.kind"],
  }),
  ...mutantsIn('src/report/recorded-waivers.ts', ['test/commands/waivers.test.ts'], {
    'other terms restore a removed waiver': [
      'former !== undefined && termsOf(former) === terms',
      'former !== undefined',
    ],
  }),
  ...mutantsIn('src/store/history/past-reader.ts', ['test/commands/as-of'], {
    'a report of then is made by the configuration of now': ["asOf.within('configurations')", "'1 = 1'"],
  }),
  ...mutantsIn('src/store/sqlite/triggers.ts', ['test/commands/as-of'], {
    'the record forgets why a waiver covers no longer': [
      'when old.lapsed_at is null and new.lapsed_at is not null begin',
      'when 1 = 0 begin',
    ],
  }),
  ...mutantsIn('src/web/postures.ts', ['test/commands/report', 'test/evaluate/read-posture.test.ts'], {
    'a check is waived although more than the waived may fail': [
      'view.notEvaluated === 0 && view.partial === undefined',
      'view.notEvaluated === 0',
    ],
  }),
  ...mutantsIn('src/sync/tenant-engine.ts', ['test/sync/hold-life.test.ts'], {
    'a decision that a run of another resource applied waits for the schedule': [
      'for (const resource of decided) this.#bringForward(resource)',
      '',
    ],
    'a full sync that fails is brought forward again and again': [
      "if (result.mode === 'full') this.#forward.delete(resource)",
      "if (result.outcome === 'success') this.#forward.delete(resource)",
    ],
    'what a tenant hold refused waits for the schedule': ["if (fullReason === 'tenant_changed')", 'if (false)'],
  }),
  ...mutantsIn('src/report/coverage.ts', ['test/commands/report'], {
    'a check that was switched off lets a requirement pass': [
      "if (checks.includes('unknown') || checks.includes('off')) return 'unknown'",
      "if (checks.includes('unknown')) return 'unknown'",
    ],
    'an entity that could not be evaluated counts as evaluated': [
      'evaluated: entities - unknown,',
      'evaluated: entities,',
    ],
    'an entity that could not be evaluated counts as passing': ['passing: rest - unknown,', 'passing: rest,'],
  }),
  ...mutantsIn('src/report/markdown.ts', ['test/report/markdown'], {
    'a backtick of a name ends a code span': ["while (shown.includes(fence)) fence += '`'", ''],
  }),
  ...mutantsIn('src/report/facts.ts', ['test/report/facts'], {
    'a name reads as further facts': ['/^$|[,()"]/.test(value)', "value === ''"],
    'a fact of the first finding is shown as that of all': ['facts.get(name) === value', 'facts.has(name)'],
  }),
  ...mutantsIn('src/commands/history.ts', ['test/commands/history'], {
    'an entity that the mirror never knew has no history': [
      'if (key !== undefined && !(await mirror.hasEntity({ ...where, key })))',
      'if (false)',
    ],
  }),
  ...mutantsIn(
    'src/evaluate/findings/top-findings.ts',
    ['test/evaluate/top-findings.test.ts', 'test/commands/named-findings.test.ts'],
    {
      'a file name is the label of a metric': [
        'entity.hasPlainIds === true && plainId.test(id)',
        'plainId.test(id) || entity.hasPlainIds !== true',
      ],
    },
  ),
  ...mutantsIn('src/evaluate/findings/top-findings.ts', ['test/evaluate/top-findings.test.ts'], {
    'what a tenant takes for an id is the label of a metric, whatever it is': [
      'entity.hasPlainIds === true && plainId.test(id)',
      'entity.hasPlainIds === true',
    ],
    'every finding is a series, however many there are': [
      'Math.min(maxTopFindings - found.length, counts.open[severity] ?? 0)',
      'counts.open[severity] ?? 0',
    ],
    'findings that took the place of others are not named': ['store.findingVersion(tenant.id, check.id)', 'tenant.id'],
  }),
  ...mutantsIn('src/store/sqlite/transaction-limiter.ts', ['test/store/transaction-limiter'], {
    'transactions of all tenants run in one turn of the event loop': [
      'return this.#isOver ?',
      'return this.#waiting.size > 9 ?',
    ],
  }),
  ...mutantsIn('src/model/clock.ts', ['test/model/sleeps'], {
    'all sleeps of the schedule listen to one signal': ['clock.sleep(ms, sleeper.signal)', 'clock.sleep(ms, signal)'],
  }),
  ...mutantsIn('src/store/findings/confirmations.ts', ['test/store/record'], {
    'a confirmation that is not written yet looks like a gap in the record': [
      'isGap(confirmedState(state, before), at, currentForMs)',
      'isGap(state, at, currentForMs)',
    ],
  }),
  ...mutantsIn('src/store/findings/result-statements.ts', ['test/store/waiting-driver'], {
    'a confirmation is given to a later result': [' and evaluated_at between @of and @at', ''],
  }),
  ...mutantsIn('src/store/findings/confirmations.ts', ['test/store/waiting-driver'], {
    'a confirmation is forgotten with the one before it': [
      'if (last(one.tenantId, one.check) === one) forget',
      'forget',
    ],
  }),
  ...mutantsIn('src/daemon/evaluate-each.ts', ['test/daemon/confirmations', 'test/daemon/evaluate-each'], {
    'confirmations of check results are never written': ['await storeConfirmations(', 'void ('],
    'a tenant whose results cannot be stored ends the evaluation of the others': ["!== 'store'", "!== 'never'"],
    'without its database, every tenant is evaluated': ['await mirror.ping()', ''],
    'a failed evaluation of a tenant is not told': ['if (failures.length > 0) throw failures[0]', ''],
  }),
  ...mutantsIn('src/daemon/evaluate.ts', ['test/daemon/evaluate'], {
    'other processes show what passed before results could not be stored': ['if (fails(tenant) &&', 'if (false &&'],
  }),
  ...mutantsIn('src/store/findings/result-store.ts', ['test/store/results'], {
    'check results of an evaluation take effect one by one': ['if (staged) await commit()', 'await commit()'],
  }),
  ...mutantsIn('src/evaluate/evaluate-tenant.ts', ['test/evaluate/result-memory'], {
    'a check result is remembered before it is committed': [
      'if (validity !== null) onceCommitted(() => memory?.keep(tenant.id, check.id, basis, outcome, validity))',
      'if (validity !== null) memory?.keep(tenant.id, check.id, basis, outcome, validity)',
    ],
  }),
]
