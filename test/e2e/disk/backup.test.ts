import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../../src/simulator/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { placeFor } from '../support/program.ts'
import { type BackupCopy, type BackupScene, backupScene } from './support/backup-scene.ts'
import { ownBundle } from './support/bundle.ts'
import { look } from './support/look.ts'
import { pointsOf, problemsOf } from './support/points.ts'
import { everySecond, start, startRun, startSync, until } from './support/runs.ts'
import { canInject, countOf, traced } from './support/traced.ts'

const bundle = ownBundle()

const run = ({ folder }: BackupScene, { env, args }: BackupCopy) => ({ bundle: bundle.file, folder, env, args })

/** The writes and syncs of an undisturbed backup. */
async function undisturbed(scene: BackupScene) {
  return scene.withCopy(async (copy) => {
    const ended = await traced(run(scene, copy))
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect({ ...copy.state(), remains: copy.remains() }).toEqual({ holds: 'new', problems: [], remains: [] })
    return countOf(ended)
  })
}

/** The backup of the next day is made, and nothing is left of the one before. */
async function afterwards({ age, again, state, remains }: BackupCopy): Promise<string[]> {
  age()
  const { code, stderr } = await again()
  const { holds, problems } = state()
  return [
    ...problems,
    ...(code === 0 && holds === 'new'
      ? []
      : [`the next backup ended with ${code} and left the ${holds} one: ${stderr}`]),
    ...remains().map((entry) => `${entry} stays for good`),
  ]
}

it.runIf(canInject)('leaves the old backup or the new one when it is killed at any write or fsync', async () => {
  const scene = await backupScene()
  const points = pointsOf(await undisturbed(scene), 'kill', { pwrite64: 8, fsync: 1 })
  const seen = { killed: 0, old: 0, new: 0, neither: 0 }
  const problems = await problemsOf(points, (point) =>
    scene.withCopy(async (copy) => {
      const { signal } = await traced(run(scene, copy), point)
      if (signal === 'SIGKILL') seen.killed++
      const { holds, problems } = copy.state()
      seen[holds]++
      return [...problems, ...(await afterwards(copy))]
    }),
  )
  console.info(`killed at ${points.length} points`, seen)
  expect(problems).toEqual([])
  expect(seen.killed).toBeGreaterThan(points.length * 0.9)
  expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0)
})

it('makes whole backups of a running daemon without disturbing it, and the last one can be restored', async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 100 } })
  onTestFinished(() => simulator.close())
  const place = placeFor(simulator, temporaryFolder(), everySecond)
  const target = join(place.folder, 'backup.db')
  const daemon = await startRun(bundle, place)
  await until(async () => (await daemon.get('/readyz')).status === 200)
  const users: number[] = []
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 10; i++) simulator.primary.addUser()
    const asked = simulator.requests.count()
    await until(() => simulator.requests.count() > asked)
    expect(await start(bundle, place, ['backup', target]).ended).toMatchObject({ code: 0, stderr: '' })
    const seen = look(target)
    expect(seen.broken).toEqual([])
    users.push(seen.users.length)
  }
  expect(users).toEqual(users.toSorted((a, b) => a - b))
  await until(async () => (await daemon.get('/metrics')).text.includes('resource="users"} 150'))
  expect(daemon.stderr).not.toMatch(/"reason":"store"|"level":50/)

  daemon.child.kill('SIGKILL')
  await daemon.ended
  for (const suffix of ['', '-wal', '-shm']) rmSync(place.store + suffix, { force: true })
  expect(await startSync(bundle, place).ended).toMatchObject({ code: 3 })
  copyFileSync(target, place.store)
  const again = await startRun(bundle, place)
  await until(async () => (await again.get('/metrics')).text.includes('resource="users"} 150'))
  again.child.kill('SIGTERM')
  expect(await again.ended).toMatchObject({ code: 0 })
  expect(look(place.store)).toMatchObject({ broken: [] })
  expect(existsSync(target)).toBe(true)
})
