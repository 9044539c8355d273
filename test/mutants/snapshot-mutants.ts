import type { Mutant } from './mutants.ts'

const tests = ['test/mirror/postgres/snapshot.test.ts']

/** Mistakes in the snapshots that own checks read from PostgreSQL. */
export const snapshotMutants: readonly Mutant[] = [
  {
    name: 'an own check reads a snapshot from before its data changed',
    file: 'src/mirror/postgres/snapshot-sandboxes.ts',
    find: 'former.versions === versionsOf(tenant, former.resources)',
    replace: "former.versions !== ''",
    tests,
  },
  {
    name: 'an own check reads a snapshot that lacks one of its inputs',
    file: 'src/mirror/postgres/snapshot-sandboxes.ts',
    find: 'inputs.every((input) => former.resources.has(input))',
    replace: 'inputs.some((input) => former.resources.has(input))',
    tests,
  },
  {
    name: 'an own check reads the snapshot of another tenant',
    file: 'src/mirror/postgres/snapshot-sandboxes.ts',
    find: 'one.database === database && one.tenantId === tenantId',
    replace: 'one.database === database',
    tests,
  },
  {
    name: 'a snapshot ends after its first page',
    file: 'src/mirror/postgres/snapshot.ts',
    find: 'while (rows.length === pageSize)',
    replace: 'while (rows.length < 0)',
    tests,
  },
  {
    name: 'a snapshot that is begun again keeps the rows of the first try',
    file: 'src/mirror/own-checks/sandbox-process.ts',
    find: '      database?.close()\n      database = new DatabaseSync(name)',
    replace: '      database ??= new DatabaseSync(name)',
    tests,
  },
  {
    name: 'an own check without a snapshot is not evaluated again before its data changes',
    file: 'src/evaluate/evaluate-tenant.ts',
    find: 'if (!isTransient) onceCommitted',
    replace: 'onceCommitted',
    tests,
  },
  {
    name: 'a snapshot is kept although nobody asks',
    file: 'src/mirror/postgres/snapshot-sandboxes.ts',
    find: '      () => this.#drop((one) => one === used),\n',
    replace: '      () => {},\n',
    tests,
  },
]
