import { type Mutant, mutantsIn } from './mutants.ts'

const rules = ['test/mirror/postgres/replica.test.ts']
const stores = ['test/mirror/postgres/replica-stores.test.ts']

/** Deliberate mistakes in the rules by which replicas share the tenants. */
export const replicaMutants: readonly Mutant[] = [
  ...mutantsIn('src/mirror/postgres/replicas/replica-statements.ts', rules, {
    'a frozen replica keeps others from its share': ['seenWithin(lateMs)', 'seenWithin(deadMs)'],
  }),
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
      'Math.min(shares.own - shareOf(shares), partOf(shares))',
      'Math.min(shares.own - shares.tenants, partOf(shares))',
    ],
    'a replica that begins first takes all tenants': ['? partOf(shares) : most', '? most : most'],
    'a new replica takes a part of the tenants of a dead one': [
      'takeOfDead.all({ id, most, among })',
      'takeOfDead.all({ id, most: Math.min(most, partOf(shares)), among })',
    ],
  }),
  ...mutantsIn('src/mirror/postgres/replicas/replica-stores.ts', stores, {
    'a tenant is given back in the middle of its runs': [
      'own.filter(([name]) => worker.isIdle(name))',
      'own.filter(() => true)',
    ],
    'a tenant is given back before its work has ended': ['        await this.#follow()\n      })', '      })'],
    'a new configuration waits for the worker, which waits for it': [
      '    await this.#take()\n  }\n\n  removed',
      '    await this.#take()\n    await this.#giveBackSurplus()\n  }\n\n  removed',
    ],
    'stores are forgotten although the worker could not follow': [
      '      this.#leaving = new Set()\n    }',
      '      this.#leaving = new Set()\n      for (const id of ids) this.#stores.delete(id)\n    }',
    ],
  }),
]
