import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { NotificationSettings } from '../../src/config/settings.ts'
import type { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import { dayMs, secondMs } from '../../src/model/time.ts'
import { createDelivery } from '../../src/notify/delivery.ts'
import type { Message, NewsItem } from '../../src/notify/message.ts'
import { caught } from '../api/support/caught.ts'
import { type Handler, testServer } from '../api/support/test-server.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { temporaryFolder } from '../support/temporary.ts'

const url = 'https://tw.example.com/?tenant=acme&q=f1'
const hostile = '<!channel> & [click](https://evil.example.com)'
const first: NewsItem = {
  ...{ eventId: 7, at: Date.parse('2026-03-01T12:00:00Z'), kind: 'opened', label: 'opened', text: hostile },
  ...{ severity: 'high', check: 'user-mfa-enrolled', fingerprint: 'f1', url },
}
const message: Message = {
  id: 'acme/7',
  target: 'security',
  tenant: 'acme',
  title: 'acme: 113 opened',
  items: [first],
  more: 112,
  url: 'https://tw.example.com/?tenant=acme',
}

const accept: Handler = (_, response) => void response.end('ok')

/** Delivers to a receiver, whose address has a secret path. */
async function receiver(handler: Handler = accept) {
  const server = await testServer(handler)
  const clock = fakeClock()
  const address = `${server.url}/services/canary-path?sig=canary`
  const env: Record<string, string> = { URL: address, SECRET: 'canary-secret' }
  const delivery = createDelivery({ clock, env }, silentLog(), 1000)
  onTestFinished(() => delivery[Symbol.asyncDispose]())
  const send = (to: NotificationSettings['to']) => delivery.deliver({ to }, message, new AbortController().signal)
  return { server, clock, env, send, failure: async (to: NotificationSettings['to']) => failureOf(send(to)) }
}

async function failureOf(sending: Promise<void>): Promise<SyncError> {
  const error = (await caught(sending)) as SyncError
  expect(`${error.message} ${error.hint} ${error.stack} ${error.cause}`).not.toContain('canary')
  return error
}

const slack = { slack: { env: 'URL' } }

it('sends Slack blocks in which a name is no mention and no link', async () => {
  const { server, send } = await receiver()
  await send(slack)
  const [{ url: path, body }] = server.requests as [(typeof server.requests)[0]]
  expect(path).toBe('/services/canary-path?sig=canary')
  const { text, blocks } = JSON.parse(body)
  expect(text).toBe(message.title)
  expect(blocks.map(({ type }: { type: string }) => type)).toEqual(['section', 'section', 'context'])
  expect(blocks[1].text.text).toContain('&lt;!channel&gt; &amp; [click]')
  expect(blocks[1].text.text).toContain(`<${url}|Open>`)
  expect(blocks[2].elements[0].text).toMatch(/112.*acme\/7/)
})

it.each([
  ['Slack', { slack: { env: 'URL' } }, '21403'],
  ['Teams', { teams: { env: 'URL' } }, '21403'],
  ['a webhook', { webhook: { url: { env: 'URL' } } }, '01234'],
])('lists for people the most severe first, and what has no severity before: %s', async (_, to, expected) => {
  const { server, clock, env } = await receiver()
  const delivery = createDelivery({ clock, env }, silentLog(), 1000)
  onTestFinished(() => delivery[Symbol.asyncDispose]())
  const items = ['low', 'critical', null, 'low', 'high'].map((severity, eventId) => {
    return { ...first, severity: severity as NewsItem['severity'], eventId, text: String(eventId), url: null }
  })
  await delivery.deliver({ to }, { ...message, items }, new AbortController().signal)
  const texts = [...(server.requests[0]?.body ?? '').matchAll(/: (\d)"|"text":"(\d)"/g)]
  expect(texts.map(([, a, b]) => a ?? b).join('')).toBe(expected)
})

it('sends Teams an Adaptive Card with names where Markdown is not read', async () => {
  const { server, send } = await receiver()
  await send({ teams: { env: 'URL' } })
  const { type, attachments } = JSON.parse(server.requests[0]?.body ?? '')
  expect(type).toBe('message')
  const { contentType, content } = attachments[0]
  expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
  expect(content.type).toBe('AdaptiveCard')
  expect(content.body.map((one: { type: string }) => one.type)).toEqual(Array(3).fill('RichTextBlock'))
  expect(content.body[1].inlines[0]).toMatchObject({ type: 'TextRun', selectAction: { url } })
})

it('signs the JSON of a webhook with its secret', async () => {
  const { server, send } = await receiver()
  await send({ webhook: { url: { env: 'URL' }, secret: { env: 'SECRET' } } })
  await send({ webhook: { url: { env: 'URL' } } })
  const [signed, plain] = server.requests
  const hmac = createHmac('sha256', 'canary-secret')
  const digest = hmac.update(signed?.body ?? '').digest('hex')
  expect(signed?.headers['x-tenantwatch-signature']).toBe(`sha256=${digest}`)
  expect(plain?.headers['x-tenantwatch-signature']).toBeUndefined()
  expect(JSON.parse(signed?.body ?? '')).toEqual({
    ...message,
    items: message.items.map((item) => ({ ...item, at: '2026-03-01T12:00:00.000Z' })),
  })
})

it('reads the address again for each message', async () => {
  const { server, send } = await receiver()
  const file = join(temporaryFolder(), 'url')
  for (const path of ['/old', '/rotated-since']) {
    writeFileSync(file, server.url + path)
    await send({ slack: { file } })
  }
  expect(server.requests.map((request) => request.url)).toEqual(['/old', '/rotated-since'])
})

const hang: Handler = () => {}
const close: Handler = (_, response) => response.destroy()
const answer =
  (status: number, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response.writeHead(status, headers).end('canary')

it.each([
  ['hangs', hang, 'timeout'],
  ['closes the connection', close, 'network'],
  ['answers 500', answer(500), 'server_error'],
  ['answers 404', answer(404), 'client_error'],
  ['redirects', answer(302, { location: 'http://127.0.0.1:1/' }), 'redirect'],
])('fails without the address where the receiver %s', async (_, handler, reason) => {
  const { failure } = await receiver(handler)
  expect(await failure(slack)).toMatchObject({ reason, retryAt: undefined })
})

it.each([
  [429, '90', 90 * secondMs],
  [503, '99999999999', dayMs],
  [429, 'soon', null],
  [429, '-5', null],
  [429, 'Mon, 01 Jan 2001 00:00:00 GMT', null],
])('takes from a %i with Retry-After %s a wait of %s ms', async (status, wait, ms) => {
  const { failure, clock } = await receiver(answer(status, { 'retry-after': wait }))
  expect((await failure(slack)).retryAt).toBe(ms === null ? undefined : clock.now() + ms)
})

const breaksOff: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '99' })
  response.write('o', () => response.destroy())
}
const trickles: Handler = (_, response) => {
  const timer = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(timer))
}
const floods: Handler = (_, response) => void response.end(Buffer.alloc(50_000_000))

it.each([
  ['breaks off', breaksOff],
  ['never ends', trickles],
  ['is long', floods],
])('counts an accepted message whose answer %s as delivered', async (_, handler) => {
  const { send, server } = await receiver(handler)
  await send(slack)
  expect(server.requests).toHaveLength(1)
})

it.each([
  'http://canary.example.com/x',
  'https://canary:canary@example.com/x',
  'ftp://canary.example.com/x',
  'canary canary',
])('refuses the address %s without showing it', async (address) => {
  const { env, failure } = await receiver()
  env['URL'] = address
  expect((await failure(slack)).reason).toMatch(/client_error|unauthorized/)
})
