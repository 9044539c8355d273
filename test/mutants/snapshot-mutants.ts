import { type Mutant, mutantsIn } from './mutants.ts'

const tests = ['test/store/db/postgres/snapshot.test.ts']

/** Mistakes in the snapshots that own checks read from PostgreSQL. */
export const snapshotMutants: readonly Mutant[] = [
  ...mutantsIn('src/store/db/postgres/snapshot-sandboxes.ts', tests, {
    'an own check reads a snapshot from before its data changed': [
      'snapshot.versions === versionsOf(snapshot, snapshot.resources)',
      "snapshot.versions !== ''",
    ],
    'an own check reads a snapshot that lacks one of its inputs': [
      'inputs.every((input) => snapshot.resources.has(input))',
      'inputs.some((input) => snapshot.resources.has(input))',
    ],
    'an own check reads the snapshot of another tenant': [
      'one.database === database && one.tenantId === tenantId',
      'one.database === database',
    ],
    'a snapshot is kept although nobody asks': [
      '      () => this.#drop((one) => one === used),\n',
      '      () => {},\n',
    ],
  }),
  ...mutantsIn('src/store/db/postgres/snapshot.ts', tests, {
    'a snapshot ends after its first page': ['while (rows.length === pageSize)', 'while (rows.length < 0)'],
  }),
  ...mutantsIn('src/store/own-checks/sandbox-process.ts', tests, {
    'a snapshot that is begun again keeps the rows of the first try': [
      '      database?.close()\n      database = new DatabaseSync(name)',
      '      database ??= new DatabaseSync(name)',
    ],
  }),
  ...mutantsIn('src/evaluate/evaluate-tenant.ts', tests, {
    'an own check without a snapshot is not evaluated again before its data changes': [
      'if (!isTransient) onceCommitted',
      'onceCommitted',
    ],
  }),
]
