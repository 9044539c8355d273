import { type Mutant, mutantsIn } from './mutants.ts'

const rules = ['test/mirror/postgres/replica.test.ts']
const stores = ['test/mirror/postgres/replica-stores.test.ts']

/** Deliberate mistakes in the rules by which replicas share the tenants. */
export const replicaMutants: readonly Mutant[] = [
  ...mutantsIn('src/mirror/postgres/replicas/replica.ts', rules, {
    'the fence lets former owners of a tenant write': [
      'and owner = ? and epoch = ? for key share',
      'and (owner = ? or epoch >= ?) for key share',
    ],
    'the fence lets former stores of the same replica write': [
      'and owner = ? and epoch = ? for key share',
      'and owner = ? and epoch >= ? for key share',
    ],
    'a replica writes on although its heartbeats are not confirmed': [
      'const writesForMs = 6 * secondMs',
      'const writesForMs = 60 * secondMs',
    ],
    'a replica keeps more than its share': [
      'hasSurplus: shares.own > shareOf(shares)',
      'hasSurplus: shares.own > shares.tenants',
    ],
  }),
  ...mutantsIn('src/mirror/postgres/replicas/replica-stores.ts', stores, {
    'a tenant is given back in the middle of its runs': ['own.find(([name]) => worker?.isIdle(name)) ??', 'own[0] ??'],
    'a tenant is given back before its work has ended': [
      '      await this.#tell()\n      await this.#stores',
      '      await this.#stores',
    ],
  }),
]
