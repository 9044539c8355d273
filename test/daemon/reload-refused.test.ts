import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import { reloadable } from '../commands/support/reloading.ts'

type World = Awaited<ReturnType<typeof reloadable>>

const written = ({ folder }: World) => readFileSync(join(folder, 'tenantwatch.yaml'), 'utf8')

it('repeats no argument of a command of store.url where a reload would need a restart', async () => {
  const world = await reloadable()
  const canary = 'CANARY-4f7d1c9be02a6d53'
  const store = `store: { url: { command: [vault, read, --token=${canary}] } }`
  world.write('tenantwatch.yaml', written(world).replace(/^store: .*$/m, store))
  const { ok, text } = await world.daemon.reload()
  expect(ok).toBe(false)
  expect(text).toContain('`store` changes, which takes a restart')
  expect([text, world.wholeLog()].filter((one) => one.includes(canary))).toEqual([])
})

it('leaves no hold behind when a reload that moves a tenant fails, and the former file is loaded again', async () => {
  const world = await reloadable({ tenants: { acme: '', zeta: '' } })
  const { mirror } = world.session
  const former = written(world)
  const moved = former
    .replace(/(name: acme, baseUrl: "http:\/\/)127\.0\.0\.1/, '$1localhost')
    .replace(/(name: zeta, [^\n]*) }/, '$1, api: { maxPages: 7 } }')
  world.write('tenantwatch.yaml', moved)
  const open = mirror.openTenant
  const opening = vi.spyOn(mirror, 'openTenant').mockImplementation((name, ...rest) => {
    if (name === 'zeta') throw new SyncError('store', 'The disk is full')
    return open(name, ...rest)
  })
  expect(await world.daemon.reload()).toMatchObject({ ok: false })
  opening.mockRestore()
  world.write('tenantwatch.yaml', former)
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  expect(await mirror.holds()).toEqual([])
})

it('names no failing target whose only waiting messages are those of a removed tenant', async () => {
  const more = 'notifications: [{ name: security, to: { webhook: { url: { env: ACME } } } }]'
  const world = await reloadable({ tenants: { acme: '', zeta: '' }, more })
  const { mirror } = world.session
  const id = (await mirror.tenants()).find(({ name }) => name === 'zeta')?.id ?? 0
  const failed = { eventId: 0, failingSince: Date.now(), problem: 'POST to the address answered 503' }
  await mirror.saveNotificationPosition(id, 'security', failed)
  expect(await world.get('/')).toContain('notifications to security have failed')
  world.configure({ tenants: { acme: '' }, more })
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  expect(await world.get('/')).not.toContain('notifications to security have failed')
})
