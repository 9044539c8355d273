import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../../src/simulator/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { placeFor } from '../support/program.ts'
import { ownBundle } from './support/bundle.ts'
import { fullSyncScene } from './support/full-sync-scene.ts'
import { inside } from './support/inside.ts'
import { look } from './support/look.ts'
import { pointsOf, problemsOf } from './support/points.ts'
import { canInject, countOf, traced } from './support/traced.ts'

const bundle = ownBundle()
const args = ['sync', '--resource', 'authentication-settings'] as const

it.runIf(canInject)('makes a mirror whole although its first open is killed at any write or fsync', async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 3 } })
  onTestFinished(() => simulator.close())
  const folder = temporaryFolder()
  const place = placeFor(simulator, folder)
  let made = 0
  const place0 = () => {
    const own = join(folder, String(made++))
    mkdirSync(own)
    const store = join(own, 'mirror.db')
    return { store, env: { ...place.env, TENANTWATCH_STORE_PATH: store } }
  }
  const run = (env: Readonly<Record<string, string>>) => ({ bundle: bundle.file, folder, env, args })
  const undisturbed = await traced(run(place0().env))
  expect(undisturbed).toMatchObject({ code: 0 })
  const points = pointsOf(countOf(undisturbed), 'kill', { pwrite64: 14, fsync: 4 })
  let killed = 0
  const problems = await problemsOf(points, async (point) => {
    const { env, store } = place0()
    const { signal } = await traced(run(env), point)
    if (signal === 'SIGKILL') killed++
    const before = tablesOf(store)
    const { code, stderr } = await inside(env, folder, ...args)
    if (code !== 0) return [`the next start ended with ${code}: ${stderr}`]
    const seen = look(store)
    return [...seen.broken, ...(before === 0 || before >= 15 ? [] : [`${before} tables after the kill`])]
  })
  console.info(`killed at ${killed} of ${points.length} points`)
  expect(problems).toEqual([])
  expect(killed).toBeGreaterThan(points.length * 0.9)
})

it.runIf(canInject)('leaves a mirror of the old layout or of the new one when its migration is killed', async () => {
  addMigration(bundle.migrations)
  const scene = await fullSyncScene()
  const run = (env: Readonly<Record<string, string>>) => ({ bundle: bundle.file, folder: scene.folder, env, args })
  const undisturbed = await scene.withCopy(({ env }) => traced(run(env)))
  expect(undisturbed).toMatchObject({ code: 0 })
  const points = pointsOf(countOf(undisturbed), 'kill', { pwrite64: 4, fsync: 1 })
  const layouts = { old: 0, new: 0 }
  const problems = await problemsOf(points, (point) =>
    scene.withCopy(async ({ env, store }) => {
      await traced(run(env), point)
      const { applied, migrated, total, broken } = layoutOf(store)
      layouts[applied ? 'new' : 'old']++
      const again = await traced(run(env))
      const end = layoutOf(store)
      return [
        ...broken,
        ...(migrated === (applied ? total : 0)
          ? []
          : [`${migrated} of ${total} rows are migrated, applied=${applied}`]),
        ...(again.code === 0 && end.applied && end.migrated === total ? [] : [`never migrated: ${again.stderr}`]),
      ]
    }),
  )
  console.info(`killed at ${points.length} points`, layouts)
  expect(problems).toEqual([])
  expect(Math.min(layouts.old, layouts.new)).toBeGreaterThan(2)
})

function tablesOf(store: string): number {
  if (!existsSync(store) || statSync(store).size === 0) return 0
  const db = new BetterSqlite3(store)
  try {
    const names = db.prepare("select name from sqlite_master where type = 'table'").pluck().all()
    // The list of migrations alone is the first step, and means nothing yet.
    return names.filter((name) => name !== '__drizzle_migrations').length
  } finally {
    db.close()
  }
}

/** A migration as a later version may bring one: a new column that every row must get its value for. */
function addMigration(folder: string): void {
  const journal = join(folder, 'meta/_journal.json')
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'))
  const next = { idx: entries.length, version: '6', when: 4_000_000_000_000, tag: '9999_probe', breakpoints: true }
  writeFileSync(journal, JSON.stringify({ ...rest, entries: [...entries, next] }))
  const steps = [
    'alter table records add column probe integer',
    'create index records_probe on records (probe)',
    'update records set probe = rid + 1',
  ]
  writeFileSync(join(folder, '9999_probe.sql'), steps.join(';\n--> statement-breakpoint\n'))
}

function layoutOf(store: string) {
  const db = new BetterSqlite3(store)
  try {
    const one = (sql: string) => Number(db.prepare(sql).pluck().get())
    const has = one("select count(*) from pragma_table_info('records') where name = 'probe'") === 1
    const health = db.pragma('integrity_check', { simple: true })
    return {
      applied: one('select max(created_at) from __drizzle_migrations') === 4_000_000_000_000,
      migrated: has ? one('select count(*) from records where probe = rid + 1') : 0,
      total: one('select count(*) from records'),
      broken: health === 'ok' ? [] : [String(health)],
    }
  } finally {
    db.close()
  }
}
