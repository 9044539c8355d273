import { expect, it } from 'vitest'
import type { EndedRun } from '../../src/model/run-result.ts'
import { createApp } from '../../src/web/app.ts'
import type { SyncRequest } from '../../src/web/web-options.ts'
import { at } from '../metrics/support/posture.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { textOf } from './support/html.ts'
import { sources, type Wanted, webOptions } from './support/server.ts'

const run = (over: Partial<EndedRun> = {}): EndedRun => ({
  ...{
    tenant: 'acme',
    resource: 'users',
    mode: 'incremental',
    outcome: 'success',
    reason: null,
    message: null,
    hint: null,
  },
  counts: { created: 0, updated: 3, unchanged: 9, removed: 0, quarantined: 0 },
  durationMs: 5,
  ...over,
})

/** A page and its forms, as a browser on this machine uses them. */
function site(
  ended: () => Promise<readonly EndedRun[]> = async () => [run()],
  wanted: Wanted = {},
  remoteAddress = '192.0.2.7',
) {
  const asked: SyncRequest[] = []
  const syncNow = (request: SyncRequest) => {
    asked.push(request)
    return ended()
  }
  const app = createApp(webOptions({ sources: { ...sources, syncNow }, ...wanted }))
  const request = (path: string, init: RequestInit = {}) =>
    app.request(
      `http://localhost${path}`,
      { ...init, headers: { host: 'localhost', ...init.headers } },
      { incoming: { socket: { remoteAddress } } },
    )
  return {
    asked,
    get: async (path = '/?tenant=acme') => (await request(path)).text(),
    post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
      const body = new URLSearchParams(fields).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) }
      return request(path, { method: 'POST', body, headers: { ...type, ...headers } })
    },
  }
}

const tokenIn = (html: string) => /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
const noteIn = (html: string) => textOf(/<p class="note" role="status">(.*?)<\/p>/s.exec(html)?.[1] ?? '')

it('syncs a tenant by a form, returns to the page that it was on, and shows the outcome', async () => {
  const { asked, get, post } = site()
  const html = await get('/?tenant=acme&days=90')
  expect(html).toContain('action="./-/sync?tenant=acme" method="post"')
  const page = /name="page" value="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const answer = await post('/-/sync?tenant=acme', { token: tokenIn(html), page })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '../?tenant=acme&days=90#tenant-acme'])
  expect(asked).toEqual([{ tenant: 'acme' }])
  expect(noteIn(await get())).toMatch(/users incremental ok, 3 changes/)
})

it('shows why a run failed, and that nothing was read', async () => {
  const failed = site(async () => [run({ outcome: 'failure', reason: 'timeout', message: 'No answer <b>' })])
  await failed.post('/-/sync?tenant=acme', { token: tokenIn(await failed.get()) })
  expect(noteIn(await failed.get())).toMatch(/failure.*timeout; No answer &lt;b&gt;/)
  const nothing = site(async () => [])
  await nothing.post('/-/sync?tenant=acme', { token: tokenIn(await nothing.get()) })
  expect(noteIn(await nothing.get())).toContain('nothing was read')
  const broken = site(() => Promise.reject(new Error('disk')))
  await broken.post('/-/sync?tenant=acme', { token: tokenIn(await broken.get()) })
  expect(noteIn(await broken.get())).toContain('failed')
})

it('does not wait for a long sync, and shows its outcome when it has ended', async () => {
  const held = Promise.withResolvers<readonly EndedRun[]>()
  const clock = fakeClock(at)
  const { get, post } = site(() => held.promise, { clock })
  expect((await post('/-/sync?tenant=acme', { token: tokenIn(await get()) })).status).toBe(303)
  expect(clock.sleeps).toEqual([10_000])
  expect(noteIn(await get())).toContain('is running')
  held.resolve([run()])
  await held.promise
  expect(noteIn(await get())).toContain('3 changes')
  clock.advance(11 * 60_000)
  expect(noteIn(await get())).toBe('')
})

it('reads the resource of a finding again', async () => {
  const { asked, get, post } = site()
  const html = await get()
  const path = /action="\.(\/-\/sync\?tenant=acme&amp;resource=[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect((await post(path, { token: tokenIn(html) })).status).toBe(303)
  expect(asked).toEqual([{ tenant: 'acme', resource: 'users', mode: 'full' }])
})

it('refuses forms that are not from a page of this process and login, and runs nothing', async () => {
  const { asked, get, post } = site()
  const token = tokenIn(await get())
  const path = '/-/sync?tenant=acme'
  const statuses = [
    await post(path, {}),
    await post(path, { token: `${token}x` }),
    await post(path, { token: token.replace(/./, (first) => (first === 'A' ? 'B' : 'A')) }),
    await post(path, { token: tokenIn(await site().get()) }),
    await post(path, { token }, { authorization: 'Basic Ym9iOng=' }),
    await post(path, { token }, { 'sec-fetch-site': 'cross-site' }),
    await post(path, { token }, { origin: 'https://evil.example' }),
    await post(path, { token }, { 'content-length': '5000' }),
    await post(path, {}, { 'content-type': 'text/plain' }),
    await post('/-/sync', { token }),
  ].map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([403]))
  expect(asked).toEqual([])
})

it('has no forms where nobody is logged in and the address is open', async () => {
  const listen = { host: '0.0.0.0', port: 0 }
  const open = site(undefined, { listen })
  expect(await open.get()).not.toContain('/-/sync')
  expect((await open.post('/-/sync?tenant=acme', { token: '' })).status).toBe(403)
  expect(await site(undefined, { listen, isProtected: true }).get()).toContain('/-/sync')
  // As "docker exec" asks.
  expect(await site(undefined, { listen }, '::ffff:127.0.0.1').get()).toContain('/-/sync')
})
