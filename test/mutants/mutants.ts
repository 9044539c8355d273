/** One deliberate mistake: a place in the sources, what it becomes, and the tests that must notice. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Test files or folders that are run against it; at least one test must fail. */
  readonly tests: readonly string[]
}

export const mutants: readonly Mutant[] = [
  {
    name: 'the cursor is stored although its page was refused',
    file: 'src/mirror/page-store.ts',
    find: '    if (page.admit !== undefined',
    replace:
      '    if (page.cursor !== undefined) walkNotes.storeCursor(page.tenantId, page.resource, page.cursor)\n    if (page.admit !== undefined',
    tests: ['test/mirror', 'test/sync/guard'],
  },
  {
    name: 'a sweep that failed counts as one that reached the end',
    file: 'src/sync/feed-sweep.ts',
    find: 'if (!cursorRefused(error) || restarted) throw error',
    replace: 'if (!cursorRefused(error) || restarted) return { ...walk, reachedEnd: true }',
    tests: ['test/sync'],
  },
  {
    name: 'the text "false" is taken for a true flag',
    file: 'src/tenant/shapes/judged-fields.ts',
    find: "if (typeof value === 'boolean') return value",
    replace: "if (typeof value === 'boolean' || typeof value === 'string') return Boolean(value)",
    tests: ['test/tenant/shapes', 'test/hostile'],
  },
  {
    name: 'a redirect is read as an answer of the tenant',
    file: 'src/tenant/wire/status-failure.ts',
    find: "? 'redirect' : 'protocol'",
    replace: "? 'server_error' : 'protocol'",
    tests: ['test/tenant'],
  },
  {
    name: 'a 401 is read as an absent resource',
    file: 'src/tenant/read-call.ts',
    find: 'const denial = status === 404 && call.absentOn404 ? denialIn(outcome) : null',
    replace: 'const denial = (status === 404 || status === 401) && call.absentOn404 ? denialIn(outcome) : null',
    tests: ['test/tenant'],
  },
  {
    name: 'an ignored cursor of the API clients is not noticed',
    file: 'src/sync/list-walk.ts',
    find: 'if (index > 0 && repeats * 2 > keys.length) {',
    replace: 'if (index > 1000) {',
    tests: ['test/sync'],
  },
  {
    name: 'NaN is exported',
    file: 'src/metrics/exposition.ts',
    find: 'if (Number.isNaN(sample.value)) throw',
    replace: 'if (Number.isNaN(0)) throw',
    tests: ['test/metrics'],
  },
  {
    name: 'a count of users is born at a false zero',
    file: 'src/resources/users-gauges.ts',
    find: 'if (!complete) return []',
    replace: '',
    tests: ['test/metrics'],
  },
  {
    name: 'a date without an offset is read in the local zone',
    file: 'src/model/dates.ts',
    find: 'date.setUTCHours(h, mi - offset, s,',
    replace:
      'if (zulu === undefined && sign === undefined) date.setUTCHours(h + 5, mi, s); else date.setUTCHours(h, mi - offset, s,',
    tests: ['test/model'],
  },
  {
    name: 'an impossible day is moved to the next month',
    file: 'src/model/dates.ts',
    find: 'd > daysInMonth(y, mo)',
    replace: 'd > 31',
    tests: ['test/tenant/shapes', 'test/model', 'test/hostile'],
  },
  {
    name: 'commits are no longer forced to the disk',
    file: 'src/mirror/open-database.ts',
    find: "  raw.pragma('synchronous = FULL')\n  if",
    replace: "  raw.pragma('synchronous = NORMAL')\n  if",
    tests: ['test/mirror'],
  },
  {
    name: 'the shrink guard lets everything pass',
    file: 'src/sync/removals.ts',
    find: 'return tooMany || everything ?',
    replace: 'return tooMany && everything && live < 0 ?',
    tests: ['test/sync'],
  },
  {
    name: 'the null roleId of the list overwrites a known one',
    file: 'src/mirror/schema/users.ts',
    find: "unstated: ['roleId'],",
    replace: 'unstated: [],',
    tests: ['test/mirror', 'test/sync/user-details.test.ts'],
  },
  {
    name: 'a verdict is shown however old its inputs are',
    file: 'src/model/input-trust.ts',
    find: "? null : 'stale'",
    replace: '? null : null',
    tests: ['test/evaluate', 'test/checks'],
  },
  {
    name: 'a partial input does not keep a check from passing',
    file: 'src/model/decide-status.ts',
    find: 'if (partial !== undefined) return',
    replace: 'if (partial === undefined && timeBased && !timeBased) return',
    tests: ['test/evaluate'],
  },
  {
    name: 'findings are resolved on inputs that cannot be trusted',
    file: 'src/evaluate/resolve-finding.ts',
    find: 'if (judged === null || !isTrusted(ending)) return null',
    replace: 'if (judged === null) return null',
    tests: ['test/evaluate'],
  },
  {
    name: 'a missing user is removed without asking for it',
    file: 'src/sync/removals.ts',
    find: "const removeNow = rule === 'two-walks' ? rids(due) : []",
    replace: 'const removeNow = rids(due)',
    tests: ['test/sync'],
  },
  {
    name: 'a document is removed after one absence',
    file: 'src/sync/removals.ts',
    find: 'const walksToRemove = 2',
    replace: 'const walksToRemove = 1',
    tests: ['test/sync'],
  },
  {
    name: 'the token prints itself',
    file: 'src/tenant/credential/secret.ts',
    find: '  toString(): string {\n    return redacted',
    replace: '  toString(): string {\n    return this.#text',
    tests: ['test/tenant', 'test/secrets'],
  },
  {
    name: 'a stated wait is cut short',
    file: 'src/tenant/pace/gate.ts',
    find: 'this.#clock.monotonic() + waitMs)',
    replace: 'this.#clock.monotonic() + waitMs / 2)',
    tests: ['test/tenant'],
  },
  {
    name: 'a CSV cell may begin a formula',
    file: 'src/cli/csv.ts',
    find: 'escape_formulas: true',
    replace: 'escape_formulas: false',
    tests: ['test/cli', 'test/hostile'],
  },
  {
    name: 'control characters reach the terminal',
    file: 'src/model/printable.ts',
    find: '    .replace(/[\\p{Cc}',
    replace: '    .replace(/[\\p{Co}',
    tests: ['test/cli', 'test/hostile', 'test/web'],
  },
  {
    name: 'a quarantined record does not count as seen',
    file: 'src/mirror/page-store.ts',
    find: 'if (known === undefined || known.removed) continue',
    replace: 'if (known === undefined || !known.removed) continue',
    tests: ['test/mirror', 'test/sync/quarantine.test.ts'],
  },
  {
    name: 'another tenant behind a new token is not noticed',
    file: 'src/sync/tenant-guard.ts',
    find: "if (sighting.seen === 'stranger') {",
    replace: "if (sighting.seen === 'stranger' && accepted()) {",
    tests: ['test/sync'],
  },
  {
    name: 'any Host header is served on loopback',
    file: 'src/web/gate.ts',
    find: 'if (guardHost && !isForLoopback(context))',
    replace: 'if (guardHost && context === null)',
    tests: ['test/web'],
  },
  {
    name: 'an empty list of API clients is the truth at once',
    file: 'src/sync/list-walk.ts',
    find: '!state.emptyAccepted) {',
    replace: 'state.emptyAccepted) {',
    tests: ['test/sync'],
  },
  {
    name: 'a second engine works on the same database',
    file: 'src/mirror/engine-lock.ts',
    find: "lock.pragma('locking_mode = EXCLUSIVE')",
    replace: '',
    tests: ['test/mirror'],
  },
  {
    name: 'an unknown check does not fail a strict round',
    file: 'src/cli/fail-on.ts',
    find: "if (checks.some(({ status }) => status === 'unknown')) return exitCodes.failed",
    replace: '',
    tests: ['test/cli'],
  },
]
