import type { Mutant } from './mutants.ts'

const rules = ['test/mirror/postgres/replica.test.ts']
const stores = ['test/mirror/postgres/replica-stores.test.ts']

/** Deliberate mistakes in the rules by which replicas share the tenants. */
export const replicaMutants: readonly Mutant[] = [
  {
    name: 'the fence lets former owners of a tenant write',
    file: 'src/mirror/postgres/replicas/replica.ts',
    find: 'and owner = ? and epoch = ? for key share',
    replace: 'and (owner = ? or epoch >= ?) for key share',
    tests: rules,
  },
  {
    name: 'the fence lets former stores of the same replica write',
    file: 'src/mirror/postgres/replicas/replica.ts',
    find: 'and owner = ? and epoch = ? for key share',
    replace: 'and owner = ? and epoch >= ? for key share',
    tests: rules,
  },
  {
    name: 'a replica writes on although its heartbeats are not confirmed',
    file: 'src/mirror/postgres/replicas/replica.ts',
    find: 'const writesForMs = 6 * secondMs',
    replace: 'const writesForMs = 60 * secondMs',
    tests: rules,
  },
  {
    name: 'a replica keeps more than its share',
    file: 'src/mirror/postgres/replicas/replica.ts',
    find: 'hasSurplus: shares.own > shareOf(shares)',
    replace: 'hasSurplus: shares.own > shares.tenants',
    tests: rules,
  },
  {
    name: 'a tenant is given back in the middle of its runs',
    file: 'src/mirror/postgres/replicas/replica-stores.ts',
    find: 'own.find(([name]) => worker?.isIdle(name)) ??',
    replace: 'own[0] ??',
    tests: stores,
  },
  {
    name: 'a tenant is given back before its work has ended',
    file: 'src/mirror/postgres/replicas/replica-stores.ts',
    find: '      await this.#tell()\n      await this.#stores',
    replace: '      await this.#stores',
    tests: stores,
  },
]
