import { join } from 'node:path'
import { expect, it } from 'vitest'
import { everySecond, program, type RunningDaemon, daemon as startDaemon, until, world } from '../support/program.ts'
import { smallDisk } from './support/tmpfs.ts'
import { canInject } from './support/traced.ts'

const mirrored = async (daemon: RunningDaemon): Promise<number> => {
  const { text } = await daemon.get('/metrics')
  return Number(/^tenantwatch_mirror_records\{tenant="acme",resource="users"\} (\d+)$/m.exec(text)?.[1])
}
/** Runs of users that have failed so far. */
const failures = async (daemon: RunningDaemon): Promise<number> => {
  const { text } = await daemon.get('/metrics')
  const counts = text.matchAll(/^tenantwatch_sync_runs_total\{[^}]*resource="users"[^}]*outcome="failure"\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
const synced = async (daemon: RunningDaemon): Promise<boolean> => {
  const { text } = await daemon.get('/metrics')
  return /^tenantwatch_sync_up\{tenant="acme",resource="users",mode="full"\} 1$/m.test(text)
}

it.runIf(canInject)(
  'continues to serve while the disk is full, logs it, and catches up with the next run after there is space',
  async () => {
    const { simulator, place: elsewhere } = await world({ sizes: { users: 200 } }, everySecond)
    const disk = smallDisk(16_384)
    const env = { ...elsewhere.env, TENANTWATCH_STORE_PATH: join(disk.folder, 'mirror.db') }
    const place = { folder: elsewhere.folder, env }
    const daemon = await startDaemon(place)
    await until(() => synced(daemon))
    disk.fill()
    const added = 2000
    for (let i = 0; i < added; i++) simulator.primary.users.add({ lastName: 'Of the time without room '.repeat(100) })
    await until(() => /"reason":"store"[^\n]*Free space on the volume of store.path/.test(daemon.stderr))
    expect(await mirrored(daemon)).toBeGreaterThanOrEqual(200)
    expect(await mirrored(daemon)).toBeLessThan(200 + added)
    expect((await daemon.get('/api/v1/findings')).status).toBe(200)
    expect(daemon.stderr).not.toMatch(/"stack"/)
    await until(async () => (await failures(daemon)) > 0)
    disk.free()
    const failed = await failures(daemon)
    await until(async () => (await mirrored(daemon)) === 200 + added)
    // An incremental sync and a full sync that were under way.
    expect(await failures(daemon)).toBeLessThanOrEqual(failed + 2)
    await until(() => synced(daemon))
    daemon.child.kill('SIGTERM')
    expect(await daemon.ended).toMatchObject({ code: 0 })
    expect((await program(place, 'sync').ended).stdout).toMatch(/users +(incremental|full) +ok +\+0 ~0 -0/)
  },
)
