import { expect, it } from 'vitest'
import { createApp } from '../../src/web/app.ts'
import type { EndedSync, SyncRequest } from '../../src/web/web-options.ts'
import { at } from '../metrics/support/posture.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { textOf } from './support/html.ts'
import { sources, startServer, type Wanted, webOptions } from './support/server.ts'

const run = (over: Partial<EndedSync> = {}): EndedSync => ({
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

/** A page and its buttons, as a browser on this machine uses them. */
function site(ended: () => Promise<readonly EndedSync[]> = async () => [run()], wanted: Wanted = {}) {
  const asked: SyncRequest[] = []
  const syncNow = (request: SyncRequest) => {
    asked.push(request)
    return ended()
  }
  const app = createApp(webOptions({ sources: { ...sources, syncNow }, ...wanted }))
  const request = (path: string, init: RequestInit = {}) =>
    app.request(`http://localhost${path}`, { ...init, headers: { host: 'localhost', ...init.headers } })
  return {
    asked,
    get: async (path = '/?tenant=acme') => (await request(path)).text(),
    async press(path = '/-/sync?tenant=acme', headers: Record<string, string> = {}) {
      const answer = await request(path, { method: 'POST', headers: { accept: 'text/html,*/*;q=0.8', ...headers } })
      return { status: answer.status, type: answer.headers.get('content-type'), html: await answer.text() }
    },
  }
}

it('syncs a tenant by a button, and answers with a page that shows the outcome and links back', async () => {
  const { asked, get, press } = site()
  expect(await get('/?tenant=acme&days=90')).toContain('action="./-/sync?tenant=acme" method="post"')
  const { status, type, html } = await press()
  expect([status, type]).toEqual([200, 'text/html; charset=UTF-8'])
  expect(asked).toEqual([{ tenant: 'acme' }])
  expect(textOf(html)).toMatch(/users incremental: ok, 3 changes/)
  expect([...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link)).toEqual([
    '../favicon.svg',
    '../style.css',
    '#main',
    '../favicon.svg',
    '../?tenant=acme',
  ])
})

it('shows why a run failed, and that nothing was read', async () => {
  const failed = site(async () => [run({ outcome: 'failure', reason: 'timeout', message: 'No answer <b>' })])
  expect((await failed.press()).html).toMatch(/failure.*timeout; No answer &lt;b&gt;/)
  expect((await site(async () => []).press()).html).toContain('Nothing was read')
  expect((await site(() => Promise.reject(new Error('disk'))).press()).html).toContain('failed')
})

it('sends the beginning of the page at once, and the rest when a long sync has ended', async () => {
  const held = Promise.withResolvers<readonly EndedSync[]>()
  const clock = fakeClock(at)
  await using web = await startServer({ sources: { ...sources, syncNow: () => held.promise }, clock })
  const answer = await fetch(`${web.origin}/-/sync?tenant=acme`, { method: 'POST', headers: { accept: 'text/html' } })
  const pieces = answer.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  expect((await pieces?.next())?.value).toContain('is running')
  held.resolve([run()])
  let rest = ''
  for (let next = await pieces?.next(); next?.done === false; next = await pieces?.next()) rest += next.value
  expect(rest).toMatch(/3 changes.*<\/html>/s)
  expect(new Set(clock.sleeps)).toEqual(new Set([5000]))
})

it('reads the resource of a finding again', async () => {
  const { asked, get, press } = site()
  const path = /action="\.(\/-\/sync\?tenant=acme&amp;resource=[^"]+)"/.exec(await get())?.[1] ?? ''
  expect((await press(path.replaceAll('&amp;', '&'))).status).toBe(200)
  expect(asked).toEqual([{ tenant: 'acme', resource: 'users', mode: 'full' }])
})

it('refuses buttons of other sites, and runs nothing', async () => {
  const { asked, press } = site()
  const type = 'application/x-www-form-urlencoded'
  for (const foreign of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'content-type': type },
    { origin: 'http://localhost:81', 'content-type': type },
    { origin: 'null', 'content-type': 'text/plain' },
  ])
    expect([foreign, (await press(undefined, foreign)).status]).toEqual([foreign, 403])
  expect(asked).toEqual([])
  expect((await press(undefined, { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' })).status).toBe(200)
})

it('has no buttons where nobody is logged in and the address is open', async () => {
  const listen = { host: '0.0.0.0', port: 0 }
  const open = site(undefined, { listen })
  expect(await open.get()).not.toContain('/-/sync')
  expect((await open.press()).status).toBe(403)
  expect(await site(undefined, { listen, isProtected: true }).get()).toContain('/-/sync')
})
