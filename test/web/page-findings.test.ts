import { expect, it } from 'vitest'
import type { FindingView } from '../../src/model/finding.ts'
import type { SeverityCounts } from '../../src/model/severity.ts'
import { findingUrl } from '../../src/notify/message.ts'
import type { WebSources } from '../../src/web/web-options.ts'
import { check, posture } from '../metrics/support/posture.ts'
import { ask as askOf } from './support/ask.ts'
import { commandsIn, textOf, unopened } from './support/html.ts'
import { finding } from './support/scene.ts'
import { findingsFrom, sources, type Wanted, webOptions } from './support/server.ts'

const ask = (path: string, over: Partial<WebSources> = {}, wanted: Wanted = {}) =>
  askOf(webOptions({ sources: { ...sources, ...over }, ...wanted }), path)
const page = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).text

const shownIn = (html: string) => [...html.matchAll(/<li id="finding-([^"]+)"/g)].map(([, id]) => id)
const countIn = (html: string) => /id="count-acme"[^>]*>([^<]*)</.exec(html)?.[1]

const user = (fingerprint: string, over: Partial<FindingView>) =>
  finding({ fingerprint, entity: { type: 'user', id: fingerprint }, ...over })
const views = [
  user('a1', { severity: 'low', check: 'x', firstSeen: '2026-01-01T00:00:00Z' }),
  user('b2', { severity: 'critical', check: 'x', firstSeen: '2026-01-02T00:00:00Z' }),
  user('c3', { check: 'y', owner: 'hr', message: 'Needle in it', firstSeen: '2026-01-03T00:00:00Z' }),
  user('d4', { check: 'y', state: 'waived', firstSeen: '2026-01-04T00:00:00Z' }),
  user('e5', {
    ...{ check: 'z', message: 'Mended', state: 'resolved', resolution: 'fixed' },
    resolvedAt: '2026-03-14T09:22:53.000Z',
  }),
]
const some: Partial<WebSources> = {
  names: () => ({ tenants: ['acme', 'globex'], checks: ['x', 'y', 'z'], owners: ['hr', 'platform'] }),
  posture: async () => [
    posture({
      checks: [
        check('y', { status: 'fail', open: { high: 1 }, waived: { high: 1 } }),
        check('x', { status: 'fail', open: { low: 1, critical: 1 } }),
      ],
    }),
  ],
  findings: findingsFrom(views),
}

it.each([
  ['/', ['b2', 'a1', 'c3'], '3 open'],
  ['/?tenant=&check=&q=', ['b2', 'a1', 'c3'], '3 open'],
  ['/?severity=critical', ['b2'], '1 finding'],
  ['/?severity=critical,high', ['b2', 'c3'], '2 findings'],
  ['/?check=y', ['c3'], '1 finding'],
  ['/?state=waived', ['d4'], '1 finding'],
  ['/?state=resolved', ['e5'], '1 finding'],
  ['/?state=all&check=y', ['d4', 'c3'], '2 findings'],
  // The link of a message, after the finding was mended or waived.
  [String(findingUrl({ tenant: 'acme', pageUrl: '' }, 'e5')), ['e5'], '1 finding'],
  ['/?q=NEEDLE', ['c3'], '1 finding'],
  ['/?q=User%201041', ['b2', 'a1'], '2 findings'],
  ['/?q=jo%40example.com', [], '0 findings'],
  ['/?q=x&severity=low', ['a1'], '1 finding'],
  ['/?owner=hr', ['c3'], '1 finding'],
  ['/?check=z', [], '0 findings'],
])('shows for %s the findings %j, and counts %s', async (path, fingerprints, count) => {
  const html = await page(path, some)
  expect(shownIn(html)).toEqual(fingerprints)
  expect(countIn(html)?.startsWith(count)).toBe(true)
})

it('shows owner and link of a finding, the link escaped', async () => {
  const html = await page('/?owner=hr', {
    ...some,
    findings: findingsFrom([user('l1', { owner: 'hr', link: 'https://p.example.com/?a=1&b="' })]),
  })
  expect(html).toContain('<a href="https://p.example.com/?a=1&amp;b=&quot;" rel="noreferrer">')
  expect(html).toContain('<option value="hr" selected="">hr</option>')
  expect(html).toContain('owner=hr">JSON</a>')
})

const long = Array.from({ length: 120 }, (_, i) =>
  user(`f${i}`, { check: i % 3 === 0 ? 'x' : 'y', severity: i % 2 === 0 ? 'high' : 'low' }),
)
const countsOf = (name: string): SeverityCounts => ({
  high: long.filter((one) => one.check === name && one.severity === 'high').length,
  low: long.filter((one) => one.check === name && one.severity === 'low').length,
})
const longList: Partial<WebSources> = {
  names: () => ({ tenants: ['acme'], checks: ['x', 'y'], owners: [] }),
  posture: async () => [
    posture({ checks: ['x', 'y'].map((name) => check(name, { status: 'fail', open: countsOf(name) })) }),
  ],
  findings: findingsFrom(long),
}

it.each([
  ['state=all', 120],
  ['q=user', 120],
  ['check=x', 40],
  ['severity=low', 60],
])('leads with %s through all findings, each once', async (query, wanted) => {
  const seen: (string | undefined)[] = []
  let path: string | undefined = `/?${query}`
  for (let pages = 0; path !== undefined && pages < 5; pages++) {
    const html = await page(path, longList)
    seen.push(...shownIn(html))
    path = /<a href="([^"]+)">Next \d+</.exec(html)?.[1]?.replaceAll('&amp;', '&').replace(/#.*/, '')
  }
  expect([seen.length, new Set(seen).size]).toEqual([wanted, wanted])
})

it('groups by check, the most severe first, folded after five, with names in the heading and a link to all', async () => {
  const html = await page('/', longList)
  expect(shownIn(html)).toHaveLength(10)
  expect(html).toContain('<a href="./?check=x#findings-acme">All 40</a>')
  const seen = unopened(html)
  expect(seen).toMatch(/Fix these now high 20 low 20 The case of x x 40 of 12 for 40 h f0, f6, f12 and 37 more/)
  expect(seen).not.toContain('Correct it')
})

it('begins with what is urgent, what is new since yesterday and what expires next', async () => {
  const fresh = user('n1', { check: 'x', severity: 'low', firstSeen: '2026-03-14T08:00:00Z' })
  const seen = unopened(await page('/', { ...some, findings: findingsFrom([...views, fresh]) }))
  expect(seen).toMatch(
    /Fix these now critical 1 low 1 The case of x x .* high 1 1 waived The case of y y .* New since yesterday low n1 x Expires/,
  )
})

it.each([
  ['/?severity=severe', 400, 'severity'],
  ['/?state=gone', 400, 'state'],
  ['/?sort=age', 400, 'sort'],
  ['/?severity=%3Cb%3E', 400, '&quot;&lt;b&gt;&quot;'],
  ['/?tenant=nobody', 404, 'acme, globex'],
  ['/?check=xx', 400, 'check'],
])('refuses %s, which would look like "nothing found"', async (path, status, text) => {
  const answer = await ask(path, some)
  expect(answer.status).toBe(status)
  expect(answer.text).toMatch(new RegExp(`<p class="empty">.*${text}.*</p>`))
  expect(answer.text).toContain('<a href="./">Status page</a>')
})

it('shows with a filter only its findings, opened, and says so above them', async () => {
  const html = await page('/?tenant=acme&check=x', some)
  expect(html).toContain('<a href="./?tenant=acme#findings-acme">show all</a>')
  expect(html).toContain('id="found-acme-x" open=""')
  expect(html).not.toMatch(/id="now-acme"|-acme-y"/)
})

it('shows with a filter the checks that may have such findings, so that an empty list is no pass', async () => {
  const checks = [check('x', { status: 'unknown', reason: 'stale' }), check('y'), check('z', { partial: 'stale' })]
  const found = { ...some, posture: async () => [posture({ checks })], findings: findingsFrom([]) }
  const shown = async (path: string) =>
    [...(await page(path, found)).matchAll(/id="found-acme-(\w)"/g)].map(([, id]) => id)
  expect(await shown('/?severity=high')).toEqual(['x', 'z'])
  expect(await shown('/?severity=low')).toEqual([])
  expect(await shown('/?check=x')).toEqual(['x'])
  expect(unopened(await page('/?q=ada', found))).toContain('stale: the data or its evaluation is too old')
})

it('has for each check what to do, and for each finding its evidence and the commands to copy', async () => {
  const evidence = {
    ...{ email: 'jo@example.com', thresholdDays: 30, requestId: 'R-1', roles: [{ id: 1 }] },
    policy: { mfaEnabled: true, readAt: '2026-03-14T09:00:00Z' },
    permissions: ['Api_A', 'Api_B'],
  }
  const checks = [check('y', { status: 'fail', open: { high: 1 }, runbook: 'TenantwatchMfaNotEnrolled' })]
  const shown = async (more: object) => {
    const findings = findingsFrom([finding({ check: 'y', evidence: { ...evidence, ...more }, reopened: 2 })])
    return page('/', { posture: async () => [posture({ checks })], findings })
  }
  const html = await shown({})
  expect(html).toContain('href="./runbook?name=TenantwatchMfaNotEnrolled"')
  const text = textOf(/<details id="evidence-9c1f0a7be2d4">.*?<\/details>/s.exec(html)?.[0] ?? '')
  for (const words of [
    'email jo@example.com',
    'Threshold, days 30',
    'Request id R-1',
    'roles (id: 1)',
    'mfaEnabled: true, Read at: 2026-03-14T09:00:00Z',
    'Api_A, Api_B',
    'Reopened 2 times',
  ])
    expect(text).toContain(words)
  const waive = 'tenantwatch waive 9c1f0a7be2d4 --reason TEXT --owner WHO --expires DATE'
  expect(commandsIn(html).slice(0, 2)).toEqual(['tenantwatch explain 9c1f0a7be2d4', waive])
  const driftId = '9c1f0a7be2d4-5f2c90ab'
  expect(commandsIn(await shown({ driftId }))[0]).toBe(`tenantwatch accept ${driftId} --reason TEXT`)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`fact${i}`, 'x'.repeat(5000)]))
  expect((await shown(many)).length).toBeLessThan(60_000)
})

it('names the entity first, by the name of the person, file or API client', async () => {
  const named = [
    finding({ entity: { type: 'user', id: '1041', name: 'Ada <b>Lovelace', email: 'ada@example.com' } }),
    finding({ fingerprint: 'b2', entity: { type: 'document', id: 'd-7', filename: 'payroll.pdf' } }),
    finding({ fingerprint: 'c3', entity: { type: 'api-client', id: 'c' } }),
  ]
  const client = { clientId: 'c', name: 'Exporter', role: null, own: false, expiresAt: 0 }
  const over = { ...some, findings: findingsFrom(named), secrets: async () => [client] }
  const html = await page('/?q=User', over)
  expect([...html.matchAll(/<strong><bdi>(.*?)<\/bdi>/g)].map(([, name]) => name)).toEqual([
    'Exporter',
    'payroll.pdf',
    'Ada &lt;b&gt;Lovelace · ada@example.com',
  ])
  expect(html).toContain('<span class="type">document <bdi>d-7</bdi></span>')
  const hidden = { exposeDetails: false }
  for (const q of ['LOVELACE', 'ada@', 'payroll.PDF']) {
    expect(shownIn(await page(`/?q=${q}`, over))).toHaveLength(1)
    expect(shownIn(await page(`/?q=${q}`, over, hidden))).toEqual([])
  }
  expect(await page('/', over)).toContain('placeholder="Name, e-mail, file, id, word"')
  expect(await page('/', over, hidden)).toContain('placeholder="Id or word"')
})
