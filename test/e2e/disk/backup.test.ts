import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../../src/simulator/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { placeFor } from '../support/program.ts'
import { ownBundle } from './support/bundle.ts'
import { look } from './support/look.ts'
import { everySecond, start, startRun, startSync, until } from './support/runs.ts'

const bundle = ownBundle()

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
