import { once } from 'node:events'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import { version } from '../../src/model/process/version.ts'
import { alertNames } from '../monitoring/support/shipped.ts'
import { hashes } from './support/live.ts'
import { acme } from './support/scene.ts'
import { closed, sources, startServer, textOf } from './support/server.ts'
import { answerOf, responseTo, roundTrip } from './support/wire.ts'

const routes =
  '/ /page.js /runbook?name=TenantwatchSecretExpired /style.css /favicon.svg /metrics /healthz /readyz /api/v1/status /api/v1/checks /api/v1/findings /api/v1/openapi.json /calendar.ics'.split(
    ' ',
  )

it.each(routes)('answers GET and HEAD of %s alike, with every security header', async (path) => {
  await using web = await startServer()
  const get = await fetch(web.origin + path)
  const head = await fetch(web.origin + path, { method: 'HEAD' })
  expect([get.status, head.status]).toEqual([200, 200])
  expect((await get.text()).length).toBeGreaterThan(0)
  expect(await head.text()).toBe('')
  for (const { headers } of [get, head]) {
    expect(headers.get('content-type')).toBe(get.headers.get('content-type'))
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

it('says why an operator accepted a hold only where details are exposed', async () => {
  const held = { ...acme, holds: acme.holds.map((one) => ({ ...one, acceptedReason: 'Jo deleted them' })) }
  for (const exposeDetails of [true, false]) {
    await using web = await startServer({ exposeDetails, sources: { ...sources, posture: async () => [held] } })
    expect((await (await fetch(`${web.origin}/api/v1/status`)).text()).includes('Jo deleted')).toBe(exposeDetails)
  }
})

it('refuses unknown paths, in JSON under /api/', async () => {
  await using web = await startServer()
  const page = await fetch(`${web.origin}/nothing`)
  expect([page.status, await page.text()]).toEqual([404, 'Not found\n'])
  const api = await fetch(`${web.origin}/api/v1/nothing`)
  expect([api.status, await api.json()]).toEqual([404, { error: 'Not found' }])
  expect(await status(web.port, '/../../etc/passwd')).toBe(404)
})

it.each(['127.0.0.1', '0.0.0.0'])('answers on %s to IP addresses, localhost and allowed hosts only', async (host) => {
  const listen = { host, port: 0 }
  await using web = await startServer({ listen, allowedHosts: ['watch.example.com', 'watch'] })
  const good = 'LOCALHOST.:1 127.0.0.1 127.0.0.2:9469 [::1]:9469 Watch.Example.COM watch.example.com.:80'.split(' ')
  for (const host of good) {
    for (const path of ['/', '/api/v1/findings'])
      expect([host, path, await status(web.port, path, { host })]).toEqual([host, path, 200])
    for (const proxied of [{}, { 'x-forwarded-for': '192.0.2.7' }, { forwarded: 'for=192.0.2.7' }]) {
      const reloaded = await status(web.port, '/-/reload', { host, ...proxied }, 'POST')
      const isAllowed = listen.host === '127.0.0.1' || Object.keys(proxied).length === 0
      expect([host, proxied, reloaded]).toEqual([host, proxied, isAllowed ? 200 : 403])
    }
  }
  for (const host of 'localhost.evil.example evil.localhost evil-127.0.0.1 a.watch 2130706433 x:9469'.split(' ')) {
    for (const path of ['/', '/page.js', '/api/v1/findings', '/calendar.ics', '/nothing'])
      expect([host, path, await status(web.port, path, { host })]).toEqual([host, path, 421])
    expect([host, await status(web.port, '/-/reload', { host }, 'POST')]).toEqual([host, 421])
    for (const path of ['/metrics', '/healthz', '/readyz'])
      expect([host, path, await status(web.port, path, { host })]).toEqual([host, path, 200])
  }
})

it('explains an unknown host before it asks for a password', async () => {
  await using web = await startServer({ users: closed })
  const answer = answerOf(await roundTrip(web.port, 'GET / HTTP/1.1\r\nHost: watch\r\nConnection: close\r\n\r\n'))
  expect(answer).toMatchObject({ status: 421, body: expect.stringContaining('server.allowedHosts') })
})

it('requires authentication except for health and readiness', async () => {
  await using web = await startServer({ users: new Map([['alice', hashes.wonder]]) })
  for (const path of routes) expect((await fetch(web.origin + path)).status).toBe(path.endsWith('z') ? 200 : 401)
  const refused = await fetch(`${web.origin}/metrics`)
  expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /)
  const allowed = await fetch(`${web.origin}/metrics`, { headers: { Authorization: `Basic ${btoa('alice:wonder')}` } })
  expect(allowed.status).toBe(200)
})

it('answers 500 without the error text when a source fails, and logs it', async () => {
  const fail = async () => Promise.reject(new Error('SECRET /var/lib/x.db'))
  const error = vi.fn()
  const broken = {
    ...sources,
    metrics: fail,
    posture: fail,
    findings: async function* () {
      yield await fail()
    },
  }
  await using web = await startServer({ sources: broken, log: { ...silentLog(), error } })
  for (const path of ['/', '/metrics', '/api/v1/status', '/api/v1/checks', '/api/v1/findings']) {
    const answer = await fetch(web.origin + path)
    expect([path, answer.status]).toEqual([path, 500])
    expect(await answer.text()).not.toContain('SECRET')
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
  }
  expect(error).toHaveBeenCalledTimes(5)
})

it.each(['aborted', 'store'] as const)(
  'logs a failed read (%s) as a warning: it is no fault of tenantwatch',
  async (reason) => {
    const metrics = async () => Promise.reject(new SyncError(reason, 'The database server cannot be reached'))
    const [warn, error] = [vi.fn(), vi.fn()]
    await using web = await startServer({ sources: { ...sources, metrics }, log: { ...silentLog(), warn, error } })
    const answer = await fetch(`${web.origin}/metrics`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.text()).toBe('The database cannot be read now: see the log\n')
    expect(warn).toHaveBeenCalledWith(
      { detail: 'SyncError: The database server cannot be reached', path: '/metrics' },
      'Web request failed',
    )
    expect(error).not.toHaveBeenCalled()
  },
)

it('reloads for POST from this machine and refuses cross-site requests', async () => {
  const reload = vi.fn(async () => ({ ok: true, text: 'Reloaded' }))
  await using web = await startServer({ sources: { ...sources, reload } })
  const url = `${web.origin}/-/reload`
  expect((await fetch(url)).status).toBe(405)
  expect((await fetch(url, { method: 'POST', headers: { Origin: 'https://evil.example' } })).status).toBe(403)
  expect((await fetch(url, { method: 'POST', headers: { Origin: 'null' } })).status).toBe(403)
  expect(await status(web.port, '/-/reload', { 'sec-fetch-site': 'cross-site' }, 'POST')).toBe(403)
  expect(reload).not.toHaveBeenCalled()
  expect((await fetch(url, { method: 'POST' })).status).toBe(200)
  expect(await status(web.port, '/-/reload', { origin: web.origin }, 'POST')).toBe(200)
  expect(reload).toHaveBeenCalledTimes(2)
})

it('reports a failed reload and refuses reload on an open address', async () => {
  const reload = async () => ({ ok: false, text: 'tenants[0].name is missing' })
  await using web = await startServer({ sources: { ...sources, reload } })
  const answer = await fetch(`${web.origin}/-/reload`, { method: 'POST' })
  expect([answer.status, await answer.text()]).toEqual([500, 'tenants[0].name is missing\n'])
  await using open = await startServer({ listen: { host: '0.0.0.0', port: 0 } })
  const refused = await fetch(`${open.origin}/-/reload`, {
    method: 'POST',
    headers: { 'x-forwarded-for': '192.0.2.7' },
  })
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('server.webConfig')])
})

it('finishes requests in flight on dispose and cuts one that takes too long', async () => {
  const answer = Promise.withResolvers<void>()
  const asked: string[] = []
  const web = await startServer({
    sources: {
      ...sources,
      metrics: async () => {
        asked.push('metrics')
        await answer.promise
        return textOf('ok\n')
      },
      posture: () => {
        asked.push('posture')
        return new Promise<never>(() => {})
      },
    },
  })
  const inFlight = fetch(`${web.origin}/metrics`)
  const cut = expect(fetch(`${web.origin}/api/v1/status`)).rejects.toThrow()
  await vi.waitFor(() => expect(asked).toHaveLength(2), 30_000)
  const disposed = web.server.dispose(500)
  answer.resolve()
  expect(await (await inFlight).text()).toBe('ok\n')
  await disposed
  await cut
  await expect(fetch(`${web.origin}/healthz`)).rejects.toThrow()
})

it('names the address that it cannot listen on', async () => {
  await using web = await startServer()
  await expect(startServer({ listen: { host: '127.0.0.1', port: web.port } })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${web.port}: the port is taken; change server.listen (TENANTWATCH_LISTEN)`,
  )
})

it('serves status and checks as JSON with times in ISO 8601', async () => {
  await using web = await startServer()
  const read = async (path: string) => (await fetch(`${web.origin}/api/v1/${path}`)).json()
  const holds = [{ id: 'H-7f3a91c2', raisedAt: '2026-03-14T04:26:53.000Z' }]
  const checks = { fail: 5, unknown: 3, pass: 3, not_applicable: 1 }
  const tenants = [
    { tenant: 'acme', quality: 'partial', holds, checks },
    { tenant: 'globex', quality: 'full' },
  ]
  expect(await read('status')).toMatchObject({ version, at: '2026-03-14T09:26:53.000Z', tenants })
  // What the last evaluation could not evaluate is not all while data is missing.
  const unknown = { status: 'unknown', reason: 'missing_permission', notEvaluated: null }
  expect(await read('checks')).toContainEqual(
    expect.objectContaining({ check: 'api-client-least-privilege', ...unknown }),
  )
  expect(await read('checks')).toContainEqual(expect.objectContaining({ status: 'pass', notEvaluated: 0 }))
})

/** The status of a request whose host, method and headers are free, which `fetch` does not allow. */
async function status(port: number, path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') {
  const answer = await responseTo(request({ host: '127.0.0.1', port, path, method, headers, agent: false }))
  await once(answer.resume(), 'end')
  return answer.statusCode
}

it('serves every runbook as a page whose links lead to runbooks, and no other file', async () => {
  await using web = await startServer()
  for (const name of alertNames) {
    const answer = await fetch(`${web.origin}/runbook?name=${name}`)
    const html = await answer.text()
    expect([name, answer.status, /<h1[^>]*>Tenantwatch/.test(html)]).toEqual([name, 200, true])
    const article = html.slice(html.indexOf('<article'), html.indexOf('</article>'))
    const links = article.matchAll(/href="([^"]*)"/g)
    for (const [, href] of links)
      expect([name, href]).toEqual([name, expect.stringMatching(/^\.\/runbook\?name=Tenantwatch\w+$/)])
  }
  for (const name of ['', 'README', '../operations', 'TenantwatchNone', 'Tenantwatch%2F..%2F..%2Foperations'])
    expect([name, await status(web.port, `/runbook?name=${name}`)]).toEqual([name, 404])
  expect(await status(web.port, '/runbook?nam=TenantwatchHeld')).toBe(400)
})

it('sends the white space that keeps a sync on request open, also to who accepts compression', async () => {
  const ended = Promise.withResolvers<readonly []>()
  await using web = await startServer({ sources: { ...sources, syncNow: () => ended.promise } })
  const answer = await fetch(`${web.origin}/-/sync`, { method: 'POST', headers: { 'accept-encoding': 'gzip' } })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toMatch(/^\n/)
  ended.resolve([])
  expect([answer.headers.get('content-encoding'), (await reader?.read())?.value]).toEqual([null, expect.any(String)])
})

it('compresses for who accepts it, and links so that the page works below any path', async () => {
  await using web = await startServer({
    sources: { ...sources, metrics: async () => textOf('tenantwatch_x 1\n'.repeat(1000)) },
  })
  const sizeOf = async (encoding: string) => {
    const sent = request(`${web.origin}/metrics`, { headers: { 'accept-encoding': encoding } })
    const answer = await responseTo(sent)
    return [answer.headers['content-encoding'], (await buffer(answer)).length] as const
  }
  expect(await sizeOf('identity')).toEqual([undefined, 16_000])
  const [encoding, bytes] = await sizeOf('gzip')
  expect([encoding, bytes < 1000]).toEqual(['gzip', true])
  const html = await (await fetch(`${web.origin}/`)).text()
  expect(html).not.toMatch(/(?:href|src|action)="\//)
})
