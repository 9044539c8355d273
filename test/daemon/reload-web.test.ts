import { expect, it } from 'vitest'
import { reloadable } from '../commands/support/reloading.ts'

const wonder = '$2b$04$C94XCeEJ/IXMVPqS5a488Opg1B9P5Shl3sVk111V/tcvJDvbt56b.'
const files = { 'web.yaml': `basic_auth_users: { alice: ${wonder} }` }
const guarded = { server: 'webConfig: web.yaml' }
const open = { listen: '0.0.0.0:0' }
const gauge = /^tenantwatch_config_last_reload_successful (\d)$/m

const asAlice = { headers: { authorization: `Basic ${Buffer.from('alice:wonder').toString('base64')}` } }
const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status

it('shows details on an open address only behind authentication', async () => {
  const world = await reloadable(open, files)
  expect(await world.get('/')).toContain('are hidden on this address')
  expect(await status(`${world.origin}/-/reload`, { method: 'POST' })).toBe(403)
  world.configure({ ...open, ...guarded })
  expect(await world.daemon.reload()).toMatchObject({ ok: true })
  expect(await status(`${world.origin}/`)).toBe(401)
  expect(await world.get('/', asAlice)).not.toContain('are hidden on this address')
  expect(await status(`${world.origin}/-/reload`, { ...asAlice, method: 'POST' })).toBe(200)
  expect(await status(`${world.origin}/healthz`)).toBe(200)
  expect(world.logged('Passwords are sent unencrypted: users are configured without TLS')).toHaveLength(1)
})

it('does not remove access control by a reload', async () => {
  const world = await reloadable({ ...open, ...guarded }, files)
  world.configure(open)
  expect(await world.daemon.reload()).toEqual({
    ok: false,
    text: 'removing all users and client certificates opens the server to everybody, which takes a restart',
  })
  expect(await status(`${world.origin}/`)).toBe(401)
})

it('lowers the gauge while the web configuration is broken, and only then', async () => {
  const world = await reloadable(guarded, files)
  const gaugeNow = async () => gauge.exec(await world.get('/metrics', asAlice))?.[1]
  expect(await gaugeNow()).toBe('1')
  world.write('web.yaml', 'basic_auth_users: { alice: wonder }')
  expect(await gaugeNow()).toBe('0')
  expect(await gaugeNow()).toBe('0')
  expect(world.logged('Web configuration is invalid; the last valid one stays in force')).toHaveLength(1)
  world.write('web.yaml', files['web.yaml'])
  expect(await gaugeNow()).toBe('1')
})
