import { Script } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { ownClientRemedy } from '../../src/model/holds.ts'
import type { HoldView, TenantPosture } from '../../src/model/posture.ts'
import { shownPostures } from '../../src/model/posture-state.ts'
import { pageScript } from '../../src/web/page/page-script.ts'
import { stylesheet } from '../../src/web/page/stylesheet.ts'
import { checksJson, statusJson } from '../../src/web/status-json.ts'
import type { WebSources } from '../../src/web/web-options.ts'
import { at, check, mode, posture, resource, unread } from '../metrics/support/posture.ts'
import { ask } from './support/ask.ts'
import { commandsIn, textOf, unopened } from './support/html.ts'
import { acme, change, finding, globex, waiver } from './support/scene.ts'
import { findingsFrom, sources, type Wanted, webOptions } from './support/server.ts'

async function page(over: Partial<WebSources> = {}, wanted: Wanted = {}, path = '/'): Promise<string> {
  const answer = await ask(webOptions({ sources: { ...sources, ...over }, ...wanted }), path)
  expect(answer.status).toBe(200)
  return answer.text
}

const pageOf = (over: Partial<TenantPosture>, more: Partial<WebSources> = {}) =>
  page({ posture: async () => [posture(over)], findings: findingsFrom([]), secrets: async () => [], ...more })

const hold = (over: Partial<HoldView> = {}): HoldView => ({
  ...{ id: 'H-1', resource: 'documents', reason: 'shrink_held', count: 9, message: 'Many are missing', raisedAt: at },
  ...over,
})

const tags = (html: string) => [...html.matchAll(/<(\/?[a-zA-Z!][^\s>]*)/g)].map(([, name]) => name)

/** A page with a text in every place that somebody else may write. */
function pageWith(text: string): Promise<string> {
  const view = posture({
    holds: [hold({ resource: 'users', message: text })],
    resources: [resource('users', { fresh: false, message: text, modes: [mode({ up: false, reason: 'timeout' })] })],
    checks: [check('user-mfa-enrolled', { title: text, status: 'fail', open: { high: 1 }, problem: text })],
    waivers: [waiver({ id: text, entity: text, owner: text, reason: text })],
  })
  const entity = { type: 'document-name', id: text, name: text }
  return page({
    posture: async () => [view],
    findings: findingsFrom([finding({ message: text, entity, evidence: { [text]: text, list: [text] } })]),
    secrets: async () => [{ clientId: text, name: text, role: text, own: true, expiresAt: at }],
    changes: async () => [change({ key: text, field: text, before: text, after: { [text]: text }, requestId: text })],
  })
}

it.each([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</bdi></td></table></details><h1>owned',
  '<!--',
  '<style>*{display:none}</style>',
  '&lt;b&gt;&amp;',
  '\u0000\u001b[2J\u009b\u202egpj.exe',
  '\ud800',
  '"tenantwatch accept H-9"',
  'x'.repeat(100_000),
])('escapes %j in every place, and makes no command of it', async (text) => {
  const plain = await pageWith('plain')
  const html = await pageWith(text)
  expect(tags(html)).toEqual(tags(plain))
  expect(html).not.toMatch(/<(script>|img src=x)/)
  expect(commandsIn(html)).toHaveLength(commandsIn(plain).length)
  expect(html.length).toBeLessThan(plain.length + 20 * 3000)
})

it('works under its content security policy', async () => {
  const html = await page()
  expect(html.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="./page.js">'])
  expect(html).not.toMatch(/<style| style=| on\w+=|javascript:|https?:\/\//)
  expect(pageScript).not.toMatch(/innerHTML|insertAdjacent|document\.write|eval\(|new Function|https?:/)
  new Script(pageScript)
  expect(stylesheet).not.toMatch(/url\(|@import/)
})

it('has the holds first, then what to do today, the findings, and the rest folded', async () => {
  const html = await page()
  const ids = ['holds', 'checks', 'now', 'new', 'next', 'findings', 'data', 'secrets', 'changes', 'waivers']
  const places = ids.map((id) => html.indexOf(` id="${id}-acme"`))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).not.toContain(-1)
  expect(commandsIn(html)).toContain('tenantwatch accept H-7f3a91c2 --count 214 --reason TEXT')
})

it.each<[tone: string, what: string, view: TenantPosture]>([
  ['good', 'all pass', globex],
  ['good', 'all findings are waived', posture({ checks: [check('x', { status: 'fail', waived: { high: 1 } })] })],
  [
    'unknown',
    'more than the waived may fail',
    posture({ checks: [check('x', { status: 'fail', waived: { high: 1 }, notEvaluated: 2 }), check('y')] }),
  ],
  ['bad', 'checks fail', acme],
  ['unknown', 'a resource was never read', posture({ resources: [resource('users'), unread('roles')] })],
  ['unknown', 'nothing applies', posture({ checks: [check('x', { status: 'not_applicable' })] })],
  [
    'unknown',
    'new data cannot be stored',
    posture({ resources: [resource('users', { modes: [mode({ up: false, reason: 'store' })] })] }),
  ],
  ['bad', 'there is a hold', posture({ holds: [hold()] })],
])('begins with a banner that is %s when %s', async (tone, _, view) => {
  const html = await page({ posture: async () => [view], findings: findingsFrom([]), secrets: async () => [] })
  expect(html).toContain(`<div class="banner edge-${tone}">`)
})

it('tells programs, too, that a check is unknown when more than the waived may fail', () => {
  const view = posture({ checks: [check('x', { status: 'fail', waived: { high: 1 }, partial: 'stale' })] })
  expect(statusJson(at, [view])).toMatchObject({ tenants: [{ checks: { fail: 0, unknown: 1 } }] })
  expect(checksJson([view])).toMatchObject([{ status: 'unknown', reason: 'stale' }])
})

it.each([
  ['Nothing', 'pass'],
  ['Nothing known', 'unknown'],
] as const)('names as new since yesterday: %s, when a check is %s', async (said, status) => {
  const html = await page({
    posture: async () => [posture({ checks: [check('x', { status })] })],
    findings: findingsFrom([]),
  })
  expect(html).toContain(`New since yesterday</h3><ul><li>${said}</li>`)
})

const alive = { replica: 'pod-a/4k2j9x7f1-0z3', isAlive: true, heartbeatAgeMs: 1900, since: at - 7_200_000 }

const failed = (reason: 'missing_permission' | 'timeout') => [mode({ up: false, reason })]

it.each<[seen: string, over: Partial<TenantPosture>]>([
  ['roles never complete', { resources: [unread('roles')] }],
  ['roles stale', { resources: [resource('roles', { fresh: false })] }],
  [
    'roles missing permission',
    { resources: [resource('roles', { modes: failed('missing_permission'), refused: 'missing_permission' })] },
  ],
  ['users quarantined 3 records', { resources: [resource('users', { quarantined: 3 })] }],
  ['users missing 1 record', { resources: [resource('users', { missing: 1 })] }],
  ['roles failing No answer', { resources: [resource('roles', { modes: failed('timeout'), message: 'No answer' })] }],
  ['roles failing the last run failed, timeout', { resources: [resource('roles', { modes: failed('timeout') })] }],
  ['roles never complete as of', { resources: [resource('roles', { formerTenant: true })] }],
  ['unknown x ? of 12', { checks: [check('x', { status: 'unknown', reason: 'stale' })] }],
  ['stale: the data or its evaluation is too old', { checks: [check('x', { status: 'unknown', reason: 'stale' })] }],
  ['more may fail, stale', { checks: [check('x', { status: 'fail', partial: 'stale', open: { low: 2 } })] }],
  [
    'cannot be read',
    { checks: [check('x', { status: 'unknown', reason: 'check_failed', problem: 'cannot be read' })] },
  ],
  ['No critical or high finding is known', { resources: [unread('roles')] }],
  ['1 lapsed', { waivers: [waiver({ state: 'lapsed' })] }],
  ['Nothing identifies the tenant', { identity: 'unproven' }],
  ['Owned by replica pod-a/4k2j9x since 2026-03-14 07:26 UTC', { owner: alive }],
  [
    'Its last owner was pod-a/4k2j9x; last heartbeat 43 s ago',
    { owner: { ...alive, isAlive: false, heartbeatAgeMs: 43_000 } },
  ],
  [
    'No replica owns this tenant. It is',
    { owner: { replica: null, isAlive: false, heartbeatAgeMs: null, since: null } },
  ],
])('shows without opening anything: %s', async (seen, over) => {
  expect(unopened(await pageOf(over))).toContain(seen)
})

it('names one cause of several resources once, and advice once', async () => {
  const refused = (name: 'users' | 'roles' | 'documents', path: string) =>
    resource(name, { refused: 'unauthorized', modes: failed('timeout'), message: `GET ${path} failed: ECONNREFUSED` })
  const resources = [refused('users', '/users'), refused('roles', '/roles'), refused('documents', '/documents')]
  const html = await pageOf({ resources })
  const [problems = ''] = /<ul class="problems".*?<\/ul>/s.exec(html) ?? []
  expect(problems.match(/ECONNREFUSED/g)).toHaveLength(1)
  expect(problems.match(/class="todo"/g)).toHaveLength(2)
  expect(commandsIn(problems)).toEqual([])
})

it('offers to accept only holds that can be accepted and are not', async () => {
  const commands = async (over: Partial<HoldView>) => commandsIn(await pageOf({ holds: [hold(over)] })).slice(0, -1)
  expect(await commands({ effect: 'It does' })).toEqual([
    'tenantwatch accept H-1 --count 9 --reason TEXT',
    'tenantwatch accept H-1 --list',
  ])
  expect(await commands({ reason: 'tenant_changed' })).toEqual(['tenantwatch accept H-1 --count 9 --reason TEXT'])
  expect(await commands({ remedy: ownClientRemedy })).toEqual([])
  expect(await commands({ acceptedReason: 'They left' })).toEqual([])
})

it('hides what may name a person or a file where details may not be shown', async () => {
  const named = waiver({ entity: 'canary.pdf', owner: 'canary@example.com', reason: 'The canary wants both' })
  const client = { clientId: 'c', name: 'Sync of canary@example.com', role: null, own: false, expiresAt: at }
  const shown: Partial<WebSources> = {
    posture: async () => [posture({ waivers: [named], checks: [check('x', { problem: 'canary' })] })],
    findings: findingsFrom([
      finding({ entity: { type: 'user', id: '1', name: 'Canary <b>', email: 'canary@example.com' } }),
      finding({ fingerprint: 'b2', entity: { type: 'document-name', id: 'canary.pdf' } }),
    ]),
    secrets: async () => [client],
    changes: async () => [
      change({ field: 'email', before: 'canary@example.com', after: null, names: ['Canary'] }),
      change({ resource: 'api-clients', field: 'name', before: null, after: client.name, names: [] }),
    ],
  }
  for (const exposeDetails of [true, false])
    for (const path of ['/', '/?q=User']) {
      const html = await page(shown, { exposeDetails }, path)
      expect([path, /canary/i.test(html)]).toEqual([path, exposeDetails])
      expect(html).toContain('Sync of ')
    }
  const [plain] = shownPostures([posture({ waivers: [{ ...named, entity: '1041' }] })], false)
  expect(plain?.waivers[0]).toMatchObject({ entity: '1041', owner: '[hidden]' })
})

it('groups changes by record and request, with names, values and request ids', async () => {
  const changes = vi.fn(async () => [
    change(),
    change({ field: 'state', before: 'Invited', after: 'Active' }),
    change({ kind: 'removed', field: null, requestId: null }),
    change({ resource: 'roles', field: 'permissions', before: [{ code: 'A' }], after: [{ code: 'B' }], names: [] }),
    change({ resource: 'authentication-settings', key: 'authentication-settings', names: [] }),
  ])
  const html = await pageOf({}, { changes })
  expect(changes).toHaveBeenCalledWith('acme', 20, true)
  const rows = html.slice(html.indexOf('id="changes-acme"'), html.indexOf('id="waivers-acme"')).split('<tr role="row">')
  const texts = rows.slice(2).map(textOf)
  expect(texts).toHaveLength(4)
  expect(texts[0]).toMatch(
    /Ada Byron · ada@example.com 1041 users roleName Viewer &rarr; Editor state Invited &rarr; Active/,
  )
  expect(texts[1]).toContain('removed')
  expect(texts[2]).toContain('permissions +B -A')
  expect(texts[3]).not.toMatch(/authentication-settings\s+authentication-settings/)
})

const fleet = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    posture({
      tenant: `t${i}`,
      checks: [check('x', i === count - 1 ? { status: 'fail', open: { critical: 1 } } : {})],
    }),
  )
const cardsIn = (html: string) =>
  [...html.matchAll(/id="card-(\w+)"><a href="([^"]+)"/g)].map(([, name, href]) => `${name} ${href}`)

it('shows a card for each tenant, the worst first, and all details', async () => {
  const html = await page({ posture: async () => fleet(3), findings: findingsFrom([]) })
  expect(cardsIn(html)).toEqual(['t2 #tenant-t2', 't0 #tenant-t0', 't1 #tenant-t1'])
  expect(html).toContain('1 with failing checks or holds, 2 without problems')
  expect(html.match(/class="tenant"/g)).toHaveLength(3)
})
