import { type Mutant, mutantsIn } from './mutants.ts'

const rules = ['test/store/db/leases.test.ts']
const stores = ['test/store/leased-stores.test.ts']

/** Deliberate mistakes in the rules by which replicas share the tenants. */
export const replicaMutants: readonly Mutant[] = [
  ...mutantsIn('src/daemon/serve.ts', ['test/daemon/ready-replica.test.ts'], {
    'a replica is ready before it has verified the database': [' ?? unverified(session)', ''],
  }),
  ...mutantsIn('src/metrics/metrics.ts', ['test/metrics/metrics.test.ts'], {
    'a scrape shows tenants that another replica has taken meanwhile': ['if (isUnchanged()) return', 'return'],
  }),
  ...mutantsIn('src/store/db/lease-statements.ts', rules, {
    'a late replica keeps others from its share': ['const lateMs = 3 * secondMs', 'const lateMs = termMs'],
    'replicas with other tenants count for a share': [' and r.tenants = @digest', ''],
    'a lease is taken under the epoch of its last owner': ['epoch = l.epoch + 1', 'epoch = l.epoch'],
  }),
  ...mutantsIn('src/store/db/leases.ts', rules, {
    'the fence lets former owners of a tenant write': ['owner = ? and epoch = ?', '(owner = ? or epoch >= ?)'],
    'the fence lets former stores of the same replica write': ['and epoch = ?', 'and epoch >= ?'],
    'a replica writes on although its renewals are not confirmed': [
      'writesForMs = 6 * secondMs',
      'writesForMs = 60 * secondMs',
    ],
    'a replica keeps more than its share': ['own - shareOf(tenants, state)', 'own - tenants.length'],
    'a replica takes something before others can know of it': ['state.isKnown === 0 || ', ''],
    'tenants of a killed command are taken before its lease of everything': [
      'if (state.wasAnotherAlone === 1)',
      'if (false)',
    ],
  }),
  ...mutantsIn('src/store/leased-stores.ts', stores, {
    'a tenant is given back in the middle of its runs': [' && worker.isIdle(name)', ''],
    'a tenant is given back before its work has ended': [
      '        await worker.follow()\n',
      '        void worker.follow()\n',
    ],
    'a configuration that is not taken up gives tenants away': [
      '      restore()\n      throw error',
      '      throw error',
    ],
  }),
]
