import { type Mutant, mutantsIn } from './mutants.ts'

const tests = ['test/store/audit-chain.test.ts']

/** Deliberate mistakes in the chain that shows whether the history was changed. */
export const auditMutants: readonly Mutant[] = [
  ...mutantsIn('src/store/audit/chain.ts', tests, {
    'an entry does not depend on the one before it': [
      "entry.hash !== hashOf(this.#tenantId, before?.hash ?? '', entry)",
      "entry.hash === ''",
    ],
  }),
  ...mutantsIn('src/store/audit/verify-chain.ts', tests, {
    'rows are sealed only by their number': [
      'if (entry.digest === found.digest && entry.rows === found.rows) return null',
      'if (entry.rows === found.rows) return null',
    ],
    'the last digest of a log is not compared when its rows are gone': [
      '  for (let entry = digests[at]; entry !== undefined; entry = digests[at]) end(entry)\n',
      '',
    ],
    'the chain of configurations is not compared with the heads that tenants state': [
      'if (hash !== digest) differing.push',
      'if (hash === undefined) differing.push',
    ],
    'a chain without its last entries looks unsealed': [
      'if (late.count > 0) found.mismatches.push',
      'if (late.count < 0) found.mismatches.push',
    ],
    'rows that were inserted into the past are sealed as if they were new': ['if (count > 0) {', 'if (count < 0) {'],
    'a clock that is set back looks like rows inserted into the past': ['at >= sealedBefore && ', ''],
  }),
  ...mutantsIn('src/store/audit/compare-findings.ts', tests, {
    'a finding of another entity has the fingerprint of its event': [
      'fingerprintOf({ ...pair, tenant }) === fingerprint &&',
      'pair.check !== null &&',
    ],
    'the age of a finding may be changed': ['pair.hasAge === 1 &&', 'pair.hasAge !== 2 &&'],
    'message and evidence of a finding may be changed': ['pair.hasTexts === 1 &&', 'pair.hasTexts !== 2 &&'],
  }),
  ...mutantsIn('src/store/audit/compare-results.ts', ['test/commands/verify.test.ts'], {
    'a lapsed waiver may be revived': ['and w.lapsed_at is not null', ''],
  }),
  ...mutantsIn('src/store/audit/logs.ts', tests, {
    'rows with ids above those of the mirror are not missed': ['or id > ', 'or 0 > '],
  }),
  ...mutantsIn('src/store/audit/logs.ts', ['test/commands/verify.test.ts'], {
    'rows with ids below the first one are not read': [
      'export const beforeAnyRow = Number.MIN_SAFE_INTEGER',
      'export const beforeAnyRow = 0',
    ],
  }),
  ...mutantsIn('src/store/audit/sealed-erasure.ts', tests, {
    'an erasure hides that rows did not match': ['differs: matches ? 0 : 1', 'differs: 0'],
    'an erasure compares the number of rows only': [
      'matches &&= found.digest === digest && found.rows === sealed',
      'matches &&= found.rows === sealed',
    ],
    'an erasure that replaces all digests keeps ids sealed that new rows get again': [
      'const sealedTo = isAll ? left.lastId : yield*',
      'const sealedTo = yield*',
    ],
    'an erasure that replaces some digests opens the ones after them again': [
      'const sealedTo = isAll ? left.lastId : yield* chain.sealedTo(tenantId, log)',
      'const sealedTo = left.lastId',
    ],
  }),
  ...mutantsIn('src/daemon/evaluate.ts', ['test/commands/verify.test.ts'], {
    'an evaluation seals nothing': ['      await store.seal(tenant.id, now)\n', ''],
  }),
  ...mutantsIn('src/commands/verify.ts', ['test/commands/verify.test.ts'], {
    'a head that is in no chain is no mismatch': ['unknownHeads.length === 0 && all', 'all'],
  }),
  ...mutantsIn('src/store/history/past-reader.ts', ['test/commands/verify.test.ts'], {
    'a report of the past shows the head of the present': ["asOf.within('audit_chain')", "'true'"],
  }),
]
