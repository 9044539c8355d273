import { Script } from 'node:vm'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { shownPostures } from '../../src/model/posture-state.ts'
import { pageScript } from '../../src/web/page/page-script.ts'
import { stylesheet } from '../../src/web/page/stylesheet.ts'
import type { WebSources } from '../../src/web/web-options.ts'
import { at, check, mode, posture, resource, unread } from '../metrics/support/posture.ts'
import { ask } from './support/ask.ts'
import { acme, change, finding, globex, waiver } from './support/scene.ts'
import { findingsFrom, sources, webOptions } from './support/server.ts'

async function page(over: Partial<WebSources> = {}, options = {}, query = ''): Promise<string> {
  const answer = await ask(webOptions({ sources: { ...sources, ...over }, ...options }), `/${query}`)
  expect(answer.status).toBe(200)
  return answer.text
}

const tags = (html: string) => [...html.matchAll(/<(\/?[a-zA-Z!][^\s>]*)/g)].map(([, name]) => name)

const corpus = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</bdi></td></table><h1>owned',
  '<!--',
  '<style>*{display:none}</style>',
  '&lt;b&gt;&amp;',
  'javascript:alert(1)',
  '{{7*7}}',
  '\u202egpj.exe',
  '\u0000\u001b[2J\u009b',
  '\ud800',
  '__proto__',
  '=cmd|calc',
  'x'.repeat(100_000),
]

/** A page with a text in every place that somebody else may write. */
function pageWith(text: string): Promise<string> {
  const view = posture({
    holds: [{ id: 'H-1', resource: 'users', reason: 'shrink_held', count: 2, message: text, raisedAt: at }],
    resources: [resource('users', { fresh: false, message: text })],
    checks: [check('user-mfa-enrolled', { title: text, status: 'fail', open: { high: 1 }, problem: text })],
    waivers: [waiver({ id: text, entity: text, owner: text, reason: text })],
  })
  return page({
    posture: async () => [view],
    findings: findingsFrom([
      finding({ message: text, entity: { type: 'document-name', id: text }, evidence: { [text]: text, list: [text] } }),
    ]),
    secrets: async () => [{ clientId: text, name: text, role: text, own: true, expiresAt: at }],
    changes: async () => [
      change({ entity: text, field: text, before: text, after: { [text]: text }, requestId: text }),
    ],
  })
}

it.each(corpus)('escapes %j on the page', async (text) => {
  const plain = await pageWith('plain')
  const html = await pageWith(text)
  expect(tags(html)).toEqual(tags(plain))
  expect(html).not.toMatch(/<(script>|img src=x)/)
  expect(html.length).toBeLessThan(plain.length + 20 * 3000)
})

it('has the same tags whatever the texts are', async () => {
  const plain = tags(await pageWith('plain'))
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', 'a', ' ', '\u202e') }),
  )
  await fc.assert(
    fc.asyncProperty(text, async (foreign) => {
      expect(tags(await pageWith(foreign))).toEqual(plain)
    }),
    { numRuns: 150 },
  )
})

it('works under its content security policy', async () => {
  const html = await page()
  expect(html.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/page.js">'])
  expect(html).not.toMatch(/<style| style=| on\w+=|javascript:|https?:\/\//)
  expect(pageScript).not.toMatch(/innerHTML|insertAdjacent|document\.write|eval\(|new Function|https?:/)
  new Script(pageScript)
  expect(stylesheet).not.toMatch(/url\(|@import/)
})

it('shows the holds of a tenant first, with the command that accepts them', async () => {
  const html = await page()
  const places = [
    'class="banner',
    'class="hold"',
    'class="now"',
    'class="tiles"',
    '>Data quality</h3>',
    'id="checks-acme_title"',
    '>Findings</h3>',
    '>API client secrets</h3>',
    'Expired, expiring within 90 days, and always that of tenantwatch itself',
    '>Last changes</h3>',
    '>Waivers</h3>',
  ]
  const found = places.map((place) => html.indexOf(place))
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(found).not.toContain(-1)
  expect(html.replaceAll(/<[^>]*>/g, '')).toContain('tenantwatch accept H-7f3a91c2 --count 214 --reason TEXT')
})

it.each([
  ['good', 'All 3 evaluated checks pass, and the data is complete and fresh.', globex],
  [
    'good',
    'All 2 evaluated checks pass or are waived, and the data is complete and fresh.',
    posture({ checks: [check('x', { status: 'fail', waived: { high: 1 } }), check('y')] }),
  ],
  [
    'unknown',
    '1 check cannot be evaluated; the data is complete and fresh.',
    posture({ checks: [check('x', { status: 'fail', waived: { high: 1 }, notEvaluated: 2 }), check('y')] }),
  ],
  ['bad', '4 checks fail, 3 checks cannot be evaluated; the data of 3 of 6 resources is complete and fresh.', acme],
  [
    'unknown',
    '1 check cannot be evaluated; no resource has complete and fresh data.',
    posture({ resources: [unread('users')], checks: [check('x', { status: 'unknown', reason: 'never' })] }),
  ],
  [
    'unknown',
    'No check fails; the data of 1 of 2 resources is complete and fresh.',
    posture({ resources: [resource('users'), unread('roles')] }),
  ],
  [
    'unknown',
    'No check fails; the data is complete and fresh.',
    posture({ checks: [check('x', { status: 'not_applicable' })] }),
  ],
  [
    'unknown',
    'No check fails; new data cannot be stored, so this page shows older data.',
    posture({
      resources: [resource('users', { modes: [mode({ up: false, reason: 'store' })] })],
      checks: [check('x', { status: 'pass' })],
    }),
  ],
  [
    'bad',
    'No check fails; the data of 2 of 2 resources is complete and fresh.',
    posture({ holds: [{ id: 'H', resource: 'roles', reason: 'suspect_empty', count: 1, message: '', raisedAt: at }] }),
  ],
])('gives the tenant summary %s with: %s', async (tone, sentence, view) => {
  const html = await page({ posture: async () => [view], findings: findingsFrom([]), secrets: async () => [] })
  expect(html).toContain(`<div class="banner edge-${tone}">`)
  expect(html).toContain(`<p>${sentence}</p>`)
})

it('shows the worst state that applies to each resource', async () => {
  const failed = (reason: 'missing_permission' | 'timeout') => [mode({ up: false, reason })]
  const cases = [
    [
      'missing permission',
      resource('roles', { modes: failed('missing_permission'), fresh: false, refused: 'missing_permission' }),
    ],
    ['never complete', unread('roles')],
    ['stale', resource('roles', { fresh: false, modes: failed('timeout') })],
    ['quarantined', resource('roles', { quarantined: 3 })],
    ['missing', resource('roles', { missing: 1 })],
    ['failing', resource('roles', { modes: failed('timeout') })],
    ['fresh', resource('roles')],
    ['off', resource('roles', { enabled: false })],
  ] as const
  for (const [word, view] of cases) {
    const html = await page({ posture: async () => [posture({ resources: [view] })] })
    expect(html).toMatch(
      new RegExp(
        `data-label="Resource"><div>roles</div></th><td role="cell" data-label="State"><div><span class="badge \\w+">${word}<`,
      ),
    )
  }
})

it('reads no more findings than it shows, the highest severity first', async () => {
  const read = vi.fn()
  const findings: WebSources['findings'] = async function* (query) {
    for (;;) {
      read()
      yield Array.from({ length: 100 }, () =>
        finding({ severity: query.severities?.[0] ?? 'info', fingerprint: `f-${query.severities?.[0]}` }),
      )
    }
  }
  const view = posture({ checks: [check('a', { status: 'fail', open: { low: 90_000, high: 40_000 } })] })
  const html = await page({ posture: async () => [view], findings })
  // The first screen, the new ones, and the one check: a batch each, which is as long as the source makes it.
  expect(read).toHaveBeenCalledTimes(3)
  expect(html.split('id="finding-f-high"')).toHaveLength(6)
  expect(html).not.toContain('f-low')
  expect(html).toContain('130,000 open findings, by check')
})

it('shows names and files only where details may be shown', async () => {
  const views = [
    finding({ evidence: { email: 'canary@example.com', firstName: 'Canary', mfaStatus: false } }),
    finding({ entity: { type: 'document-name', id: 'canary.pdf' }, check: 'document-name-unique', severity: 'info' }),
  ]
  const view = posture({
    checks: [
      check('user-mfa-enrolled', { status: 'fail', open: { high: 1 } }),
      check('document-name-unique', { status: 'fail', open: { info: 1 } }),
    ],
  })
  const shown = { posture: async () => [view], findings: findingsFrom(views) }
  for (const exposeDetails of [true, false]) {
    const { text: html } = await ask(webOptions({ sources: { ...sources, ...shown }, exposeDetails }), '/')
    expect(html.includes('canary.pdf')).toBe(exposeDetails)
    expect(html.includes('are hidden on this address')).toBe(!exposeDetails)
  }
})

it('is one document with a heading, captions and times that machines can read', async () => {
  const html = await page()
  expect(html.match(/<h1>/g)).toHaveLength(1)
  const named = [...html.matchAll(/<table [^>]*aria-labelledby="([^"]+)"/g)].map(([, id]) => id)
  expect(named.length).toBe(html.match(/<table/g)?.length)
  for (const id of named) expect(html).toContain(`<h3 id="${id}">`)
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
  expect(html).toContain('<time datetime="2026-03-14T09:26:53.000Z">2026-03-14 09:26 UTC</time>')
  expect(html).toContain('<noscript><meta http-equiv="refresh" content="60"></noscript>')
})

it('shows no owner, reason or file name of a waiver where details may not be shown', async () => {
  const named = waiver({ entity: 'canary.pdf', owner: 'canary@example.com', reason: 'The canary wants both' })
  const [shown] = shownPostures([posture({ waivers: [named] })], false)
  expect(shown?.waivers).toEqual([{ ...named, entity: '[hidden]', owner: '[hidden]', reason: '[hidden]' }])
  const [plain] = shownPostures([posture({ waivers: [{ ...named, entity: '1041' }] })], false)
  expect(plain?.waivers[0]?.entity).toBe('1041')
})
