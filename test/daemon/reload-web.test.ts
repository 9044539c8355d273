import { expect, it, vi } from 'vitest'
import { reloadable } from '../commands/support/reloading.ts'

const wonder = '$2b$04$C94XCeEJ/IXMVPqS5a488Opg1B9P5Shl3sVk111V/tcvJDvbt56b.'
const files = { 'web.yaml': `basic_auth_users: { alice: ${wonder} }` }
const guarded = { server: 'webConfig: web.yaml' }
const open = { listen: '0.0.0.0:0' }

const asAlice = { headers: { authorization: `Basic ${Buffer.from('alice:wonder').toString('base64')}` } }
const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status

it('shows details on an open address only behind authentication', async () => {
  const world = await reloadable(open, files)
  expect(await world.get('/')).toContain('are hidden on this address')
  expect(await status(`${world.origin}/-/reload`, { method: 'POST', headers: { 'x-forwarded-for': '::2' } })).toBe(403)
  world.configure({ ...open, ...guarded })
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  expect(await status(`${world.origin}/`)).toBe(401)
  expect(await world.get('/', asAlice)).not.toContain('are hidden on this address')
  expect(await status(`${world.origin}/-/reload`, { ...asAlice, method: 'POST' })).toBe(200)
  expect(await status(`${world.origin}/healthz`)).toBe(200)
  expect(world.logged('Passwords are sent unencrypted: users are configured without TLS')).not.toHaveLength(0)
})

it('shows no details in the midst of a reload before those who ask have to prove who they are', async () => {
  const world = await reloadable(open, files)
  const former = world.session.tenants[0]?.client
  if (former === undefined) throw new Error('there is no tenant')
  const seen: number[] = []
  const close = former[Symbol.asyncDispose].bind(former)
  vi.spyOn(former, Symbol.asyncDispose).mockImplementation(async () => {
    // The settings are in force by now, and the reload is not over.
    seen.push(await status(`${world.origin}/`))
    await close()
  })
  world.configure({
    ...open,
    server: 'webConfig: web.yaml, exposeDetails: true',
    tenants: { acme: 'api: { maxPages: 7 }' },
  })
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  expect(seen).toEqual([401])
})
