import { expect, it, vi } from 'vitest'
import type { Message } from '../../src/notify/message.ts'
import { type Handler, testServer } from '../api/support/test-server.ts'
import { openWorld } from '../hostile/support/world.ts'

const secret = 'canary-of-the-address'
const longest = 60_000

async function receiver(handler: Handler) {
  const server = await testServer(handler)
  const messages = () => server.requests.map(({ body }) => JSON.parse(body) as Message)
  return { url: `${server.url}/${secret}`, messages }
}

it('tells one target what changes while another hangs and a third refuses, and shows that without the addresses', async () => {
  const good = await receiver((_, response) => void response.end())
  const hung = await receiver(() => {})
  const bad = await receiver((_, response) => void response.writeHead(500).end())
  const webhook = (name: string) => `{ name: ${name}, to: { webhook: { url: { env: ${name.toUpperCase()} } } } }`
  const more = `notifications: [${webhook('hung')}, ${webhook('bad')}, ${webhook('good')}]`
  await using world = await openWorld({ simulator: { sizes: { users: 20, documents: 10 } }, more })
  Object.assign(world.env, { GOOD: good.url, HUNG: hung.url, BAD: bad.url })
  await using daemon = await world.daemon()
  await vi.waitFor(() => expect(good.messages().length).toBeGreaterThan(0), longest)
  expect(good.messages()[0]).toMatchObject({ target: 'good', tenant: 'acme', items: { length: 10 } })
  expect(hung.messages()).toHaveLength(1)

  world.simulator.primary['authentication-settings'].update(0, { mfaEnabled: false })
  const told = () => good.messages().flatMap(({ items }) => items.map(({ label, check }) => `${label} ${check}`))
  await vi.waitFor(() => expect(told()).toContain('opened auth-mfa-policy-enabled'), longest)
  const ids = good.messages().map(({ id }) => Number(id.replace('acme/', '')))
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))

  const get = async (path: string) => (await fetch(daemon.origin + path)).text()
  const metrics = await get('/metrics')
  const sent = (target: string, outcome: string) =>
    Number(
      metrics.split(`tenantwatch_notifications_total{target="${target}",outcome="${outcome}"} `)[1]?.split('\n')[0],
    )
  expect(sent('good', 'success')).toBeGreaterThan(1)
  expect(sent('good', 'failure')).toBe(0)
  expect(sent('bad', 'success')).toBe(0)
  expect(sent('bad', 'failure')).toBeGreaterThan(0)
  const page = await get('/')
  const [failing = ''] = /<ul class="problems" id="problems".*?<\/ul>/s.exec(page) ?? []
  expect(failing).toContain('notifications to bad have failed')
  expect(failing).not.toContain('good')
  expect(daemon.logged() + page + metrics).not.toContain(secret)
})
