import { expect, onTestFinished } from 'vitest'
import { postgresDialect } from '../../../../src/store/db/db.ts'
import { aDay, type Cli, type Decidable, json, synced } from '../../../commands/support/cli.ts'
import { onPostgresOf } from '../../../commands/support/on-postgres.ts'
import { type TestPostgres, testPostgres } from '../../../support/postgres.ts'
import { wrongCounts } from '../../../support/wrong-counts.ts'

const sizes = { users: 60, documents: 60 }

/** Details of all users in each run: which ones are read first depends on when their pages were received. */
const more = `userDetails: { perRun: 250 }
waivers:
  - { id: W-1, check: user-mfa-enrolled, entity: "*", tenant: acme, owner: ops, reason: Until the roll-out has ended, expires: 2026-04-30 }
`

/** A mirror in a file with something in nearly every table, and the program to run on it. */
async function filledWorld(): Promise<Cli> {
  const world = await synced({
    simulator: { sizes },
    tenants: [{ name: 'acme' }, { name: 'globex', token: 'secondReader' }],
    more,
  })
  const { simulator, pass, run } = world
  const { primary } = simulator
  const [first, second, third, fourth] = [...primary.users.all()].map(({ userId }) => userId)
  primary.users.update(first ?? 0, { firstName: 'Half \u0000 and \u001a and \u001a0', lastName: 'Ångström 🌍' })
  primary.users.update(second ?? 0, { mfaStatus: true, mfaAction: false })
  primary.users.update(third ?? 0, { raw: { mfaStatus: 'true', note: 'a\u0000b' } })
  primary.users.remove(fourth ?? 0)
  pass(aDay)
  expect(await run('sync')).toMatchObject({ code: 0 })
  // One hold is accepted and applied, another one stays.
  primary.users.removeWhere(0.5)
  pass(aDay)
  expect(await run('sync')).toMatchObject({ code: 3 })
  const [hold] = await json<Decidable>(world, 'accept')
  expect(await run('accept', hold?.id ?? '', '--reason', 'Left with the spin-off')).toMatchObject({ code: 0 })
  primary.documents.removeWhere(0.6)
  const { name } = primary.roles.add({ name: 'Odd\u0000role' })
  primary.users.add({ roleName: name, firstName: 'Newcomer' })
  pass(aDay)
  await run('sync', '--full')
  pass(aDay)
  await run('sync', '--full')
  return world
}

type Ran = ReturnType<Cli['run']>

export interface Moving extends Cli {
  readonly postgres: TestPostgres
  /** Runs on the database. */
  runThere(...args: readonly string[]): Ran
  /** Runs `migrate-store` from the file to the database. */
  migrate(): Ran
  wrongCounts(): readonly unknown[]
}

/** The filled mirror beside a database without rows. */
export async function movingWorld(layout: 'current' | 'empty' = 'empty'): Promise<Moving> {
  const world = await filledWorld()
  const postgres = testPostgres(layout)
  onTestFinished(() => postgres.drop())
  const runThere = onPostgresOf(world, postgres)
  return {
    ...world,
    postgres,
    runThere: (...args) => runThere({}, ...args),
    migrate: () => runThere({}, 'migrate-store', '--from', world.store),
    wrongCounts: () => wrongCounts(postgresDialect, (sql) => postgres.query(sql)),
  }
}
