import type { Mutant } from './mutants.ts'

const tests = ['test/mirror/audit-chain.test.ts']

/** Deliberate mistakes in the chain that shows whether the history was changed. */
export const auditMutants: readonly Mutant[] = [
  {
    name: 'an entry does not depend on the one before it',
    file: 'src/mirror/audit/chain.ts',
    find: "entry.hash !== hashOf(this.#tenantId, before?.hash ?? '', entry)",
    replace: "entry.hash === ''",
    tests,
  },
  {
    name: 'rows are sealed only by their number',
    file: 'src/mirror/audit/verify-chain.ts',
    find: 'if (entry.digest === found.digest && entry.rows === found.rows) return null',
    replace: 'if (entry.rows === found.rows) return null',
    tests,
  },
  {
    name: 'the last digest of a log is not compared when its rows are gone',
    file: 'src/mirror/audit/verify-chain.ts',
    find: '  for (let entry = digests[at]; entry !== undefined; entry = digests[at]) end(entry)\n',
    replace: '',
    tests,
  },
  {
    name: 'rows with ids below the first one are not read',
    file: 'src/mirror/audit/logs.ts',
    find: 'export const beforeAnyRow = Number.MIN_SAFE_INTEGER',
    replace: 'export const beforeAnyRow = 0',
    tests: ['test/commands/verify.test.ts'],
  },
  {
    name: 'an erasure hides that rows did not match',
    file: 'src/mirror/audit/sealed-erasure.ts',
    find: 'differs: matches ? 0 : 1',
    replace: 'differs: 0',
    tests,
  },
  {
    name: 'an erasure compares the number of rows only',
    file: 'src/mirror/audit/sealed-erasure.ts',
    find: 'matches &&= found.digest === digest && found.rows === sealed',
    replace: 'matches &&= found.rows === sealed',
    tests,
  },
  {
    name: 'an erasure that replaces all digests keeps ids sealed that new rows get again',
    file: 'src/mirror/audit/sealed-erasure.ts',
    find: 'const sealedTo = isAll ? left.lastId : yield*',
    replace: 'const sealedTo = yield*',
    tests,
  },
  {
    name: 'an erasure that replaces some digests opens the ones after them again',
    file: 'src/mirror/audit/sealed-erasure.ts',
    find: 'const sealedTo = isAll ? left.lastId : yield* chain.sealedTo(tenantId, log)',
    replace: 'const sealedTo = left.lastId',
    tests,
  },
  {
    name: 'an evaluation seals nothing',
    file: 'src/daemon/evaluate.ts',
    find: '      await store.seal(tenant.id, now)\n',
    replace: '',
    tests: ['test/commands/verify.test.ts'],
  },
  {
    name: 'a head that is in no chain is no mismatch',
    file: 'src/commands/verify.ts',
    find: 'unknownHeads.length === 0 && all',
    replace: 'all',
    tests: ['test/commands/verify.test.ts'],
  },
  {
    name: 'a report of the past shows the head of the present',
    file: 'src/mirror/history/past-reader.ts',
    find: "asOf.within('audit_chain')",
    replace: "'true'",
    tests: ['test/commands/verify.test.ts'],
  },
  {
    name: 'the chain of configurations is not compared with the heads that tenants state',
    file: 'src/mirror/audit/verify-chain.ts',
    find: 'if (hash !== digest) differing.push',
    replace: 'if (hash === undefined) differing.push',
    tests,
  },
  {
    name: 'a finding of another entity has the fingerprint of its event',
    file: 'src/mirror/audit/compare-findings.ts',
    find: 'fingerprintOf({ ...pair, tenant }) === fingerprint &&',
    replace: 'pair.check !== null &&',
    tests,
  },
  {
    name: 'a chain without its last entries looks unsealed',
    file: 'src/mirror/audit/verify-chain.ts',
    find: 'if (late > 0) found.mismatches.push',
    replace: 'if (late < 0) found.mismatches.push',
    tests,
  },
]
