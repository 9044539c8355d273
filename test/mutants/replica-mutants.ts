import { type Mutant, mutantsIn } from './mutants.ts'

const rules = ['test/store/postgres/replica.test.ts']
const heartbeats = ['test/store/postgres/heartbeat.test.ts']
const stores = ['test/store/postgres/replica-stores.test.ts']
const upgrades = ['test/store/postgres/table-locks.test.ts']

/** Deliberate mistakes in the rules by which replicas share the tenants. */
export const replicaMutants: readonly Mutant[] = [
  ...mutantsIn('src/daemon/serve.ts', ['test/daemon/ready-replica.test.ts'], {
    'a replica is ready before it has verified the database': [' ?? unverified(session)', ''],
  }),
  ...mutantsIn('src/metrics/metrics.ts', ['test/metrics/metrics.test.ts'], {
    'a scrape shows tenants that another replica has taken meanwhile': ['if (isUnchanged()) return', 'return'],
  }),
  ...mutantsIn('src/store/postgres/replicas/replica-statements.ts', rules, {
    'a frozen replica keeps others from its share': ["isWithin('r.seen_at', lateMs)", "isWithin('r.seen_at', deadMs)"],
    'replicas that have just begun count for what is given back': [
      "isWithin('r.began_at', newMs)",
      "isWithin('r.began_at', 0)",
    ],
    'replicas of another configuration count for a share': [' and r.configured = @configured', ''],
    'a replica takes tenants between a restore and its next heartbeat': [
      ' >= @lastBeat',
      ' >= 0 * cast(@lastBeat as bigint)',
    ],
    'what nobody has waits for replicas that do not take it': [
      "isWithin('o.since', deadMs)",
      "isWithin('o.since', 60 * deadMs)",
    ],
  }),
  ...mutantsIn('src/store/postgres/replicas/replica.ts', heartbeats, {
    'a replica works while triggers do not fire': ['note(yield* triggers)', ''],
    'a replica owns tenants for a while although triggers do not fire': [
      'this.#sentAt = Number.NEGATIVE_INFINITY\n    if',
      'if',
    ],
    'triggers that were off for a moment are not noticed': [' && versions === this.#triggers', ''],
  }),
  ...mutantsIn('src/store/postgres/replicas/heartbeat.ts', heartbeats, {
    'what changed while triggers did not fire is not counted': [
      'if (this.#replica.isCountDoubted) await this.#settleCounts()',
      '',
    ],
    'a replica without connections keeps its tenants': [
      'if (clock.monotonic() - this.#workedAt > starvesMs)',
      'if (false)',
    ],
    'heartbeats stay on the former server': ['heartbeats.distrustConnections()', ''],
    'connections stay on the former server': ['=== true) database.distrustConnections()', '=== true) return'],
  }),
  ...mutantsIn('src/store/postgres/settle-counts.ts', heartbeats, {
    'other replicas go on with what they remember of the former counts': ['epoch = epoch + 1', 'epoch = epoch'],
    'results by wrong counts stay': ['.prepare(expireAllPasses)', ".prepare('select 1')"],
  }),
  ...mutantsIn('src/store/postgres/triggers.ts', heartbeats, {
    'a trigger that is switched off counts as one that fires': ["t.tgenabled in ('O', 'A')", 't.tgenabled is not null'],
  }),
  ...mutantsIn('src/store/postgres/beginning.ts', ['test/store/postgres/transaction.test.ts'], {
    'connections to two servers are used': ['  server?.insist(start)', '  void server'],
    'rows are written although triggers do not fire': ["role === 'replica'", "role === 'local'"],
  }),
  ...mutantsIn('src/store/postgres/replicas/replica.ts', rules, {
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
      'Math.min(shares.own - shareOf(shares, shares.established)',
      'Math.min(shares.own - shares.tenants',
    ],
    'a replica that begins first takes all tenants': ['Math.min(room, partOf(shares))', 'room'],
    'a new replica takes a part of the tenants of a dead one': [
      'takeAbandoned.all({ id, lastBeat, most, among })',
      'takeAbandoned.all({ id, lastBeat, most: Math.min(most, partOf(shares)), among })',
    ],
  }),
  ...mutantsIn('src/store/postgres/replicas/replica-stores.ts', stores, {
    'a tenant is given back in the middle of its runs': [
      'own.filter(([name]) => worker.isIdle(name))',
      'own.filter(() => true)',
    ],
    'a tenant is given back before its work has ended': ['        await this.#follow()\n      })', '      })'],
    'a new configuration waits for the worker, which waits for it': [
      '      await this.#take()\n    } catch',
      '      await this.#take()\n      await this.#giveBackSurplus()\n    } catch',
    ],
    'a configuration that is not taken up gives tenants away': ['      undo()\n      throw error', '      throw error'],
    'stores are forgotten although the worker could not follow': [
      '      this.#leaving = new Set()\n    }',
      '      this.#leaving = new Set()\n      for (const id of ids) this.#stores.delete(id)\n    }',
    ],
  }),
  ...mutantsIn('src/store/postgres/replicas/configurations.ts', stores, {
    'a reload is logged as configurations that differ': ['clock.monotonic() - since < reloadMs', 'false'],
  }),
  ...mutantsIn('src/store/postgres/migrate.ts', upgrades, {
    'a migration takes the tenants before it has the tables': ['    await lockTables(session)\n', ''],
    'a migration is ended by a limit of the role': ['set local statement_timeout = 0; ', ''],
  }),
  ...mutantsIn('src/store/postgres/table-locks.ts', upgrades, {
    'a migration ends with a deadlock': [' || driverCodeOf(error) === deadlockDetected', ''],
    'a migration waits for all tables together without a limit': ['driverCodeOf(error) === queryCanceled ?', 'false ?'],
    'a migration waits for others without end': [
      'if (waitedMs >= blockedMs) throw',
      'if (waitedMs >= 2 * blockedMs) throw',
    ],
    'heartbeats wait for tables that a migration waits for': ['`c.relname in (', '`c.relname not in ('],
    'a migration locks what another role owns': [
      '    and c.relowner = (select relowner',
      '    or c.relowner = (select relowner',
    ],
  }),
]
