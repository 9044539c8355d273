import { expect, it, vi } from 'vitest'
import { ownClientRemedy } from '../../src/model/holds.ts'
import type { HoldView } from '../../src/model/posture.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import type { WebSources } from '../../src/web/web-options.ts'
import { at, check, mode, posture, resource } from '../metrics/support/posture.ts'
import { ask as askOf } from './support/ask.ts'
import { change, finding, waiver } from './support/scene.ts'
import { findingsFrom, sources, type Wanted, webOptions } from './support/server.ts'

const hour = 3_600_000
const day = 24 * hour

const ask = (path: string, over: Partial<WebSources> = {}, wanted: Wanted = {}) =>
  askOf(webOptions({ sources: { ...sources, ...over }, ...wanted }), path)

const page = async (path: string, over: Partial<WebSources> = {}, wanted: Wanted = {}) =>
  (await ask(path, over, wanted)).text

const shownIn = (html: string) => [...html.matchAll(/<li id="finding-([^"]+)"/g)].map(([, id]) => id)
const countIn = (html: string) => /id="count-acme"[^>]*>([^<]*)</.exec(html)?.[1]

const views = [
  finding({
    fingerprint: 'a1',
    severity: 'low',
    check: 'x',
    entity: { type: 'user', id: '10' },
    firstSeen: '2026-01-01T00:00:00Z',
  }),
  finding({
    fingerprint: 'b2',
    severity: 'critical',
    check: 'x',
    entity: { type: 'user', id: '9' },
    firstSeen: '2026-01-02T00:00:00Z',
  }),
  finding({
    fingerprint: 'c3',
    severity: 'high',
    check: 'y',
    entity: { type: 'user', id: '11' },
    message: 'Needle in it',
    firstSeen: '2026-01-03T00:00:00Z',
  }),
  finding({ fingerprint: 'd4', severity: 'high', check: 'y', state: 'waived', firstSeen: '2026-01-04T00:00:00Z' }),
  finding({
    fingerprint: 'e5',
    check: 'z',
    message: 'Mended',
    state: 'resolved',
    resolvedAt: '2026-03-14T09:22:53.000Z',
    resolution: 'fixed',
  }),
]
const namesOf = (tenants: readonly string[], checks: readonly string[] = []) => ({ names: () => ({ tenants, checks }) })
const some: Partial<WebSources> = {
  ...namesOf(['acme', 'globex'], ['x', 'y', 'z']),
  posture: async () => [
    posture({
      checks: [
        check('x', { status: 'fail', open: { low: 1, critical: 1 } }),
        check('y', { status: 'fail', open: { high: 1 }, waived: { high: 1 } }),
      ],
    }),
  ],
  findings: findingsFrom(views),
}

it.each([
  ['/', ['b2', 'a1', 'c3'], '3 open findings, by check'],
  ['/?tenant=&check=&q=', ['b2', 'a1', 'c3'], '3 open findings, by check'],
  ['/?severity=critical', ['b2'], '1 finding matches'],
  ['/?severity=critical,high', ['c3', 'b2'], '2 findings match'],
  ['/?check=y', ['c3'], '1 finding matches'],
  ['/?state=waived', ['d4'], '1 finding matches'],
  ['/?state=resolved', ['e5'], '1 finding matches'],
  ['/?state=all&check=y', ['d4', 'c3'], '2 findings match'],
  ['/?q=NEEDLE', ['c3'], '1 finding matches'],
  ['/?q=User%201041', ['b2', 'a1'], '2 findings match'],
  ['/?q=jo%40example.com', [], '0 findings match'],
  ['/?q=x&severity=low', ['a1'], '1 finding matches'],
  ['/?check=z', ['e5'], 'No open finding matches any more; these were resolved'],
  ['/?q=mended', ['e5'], 'No open finding matches any more; these were resolved'],
])('shows for %s the findings %j and the text: %s', async (path, fingerprints, count) => {
  const html = await page(path, some)
  expect(shownIn(html)).toEqual(fingerprints)
  expect(countIn(html)).toBe(count)
})

const long = Array.from({ length: 120 }, (_, i) =>
  finding({
    fingerprint: `f${i}`,
    check: i % 3 === 0 ? 'x' : 'y',
    severity: i % 2 === 0 ? 'high' : 'low',
    entity: { type: 'user', id: String(i) },
  }),
)
const countsOf = (name: string) => ({
  status: 'fail' as const,
  open: Object.groupBy(
    long.filter((view) => view.check === name),
    ({ severity }) => severity,
  ),
})
const numbers = (open: Partial<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(Object.entries(open).map(([severity, list]) => [severity, list?.length ?? 0]))
const longList: Partial<WebSources> = {
  ...namesOf(['acme'], ['x', 'y']),
  posture: async () => [
    posture({ checks: ['x', 'y'].map((name) => check(name, { status: 'fail', open: numbers(countsOf(name).open) })) }),
  ],
  findings: findingsFrom(long),
}

it.each(['state=all', 'q=user', 'q=x', 'check=x', 'severity=low'])(
  'leads with %s through all findings, each once',
  async (query) => {
    const ofCheck = /=x$/.test(query) ? 'x' : undefined
    const wanted = long.filter(
      (one) => (query !== 'severity=low' || one.severity === 'low') && (ofCheck ?? one.check) === one.check,
    )
    const seen: (string | undefined)[] = []
    let path: string | undefined = `/?${query}`
    for (let pages = 0; path !== undefined && pages < 5; pages++) {
      const html = await page(path, longList)
      seen.push(...shownIn(html))
      path = /<a href="([^"]+)" data-live="jump">Next \d+</.exec(html)?.[1]?.replaceAll('&amp;', '&').replace(/#.*/, '')
    }
    expect(seen).toHaveLength(wanted.length)
    expect(new Set(seen)).toEqual(new Set(wanted.map(({ fingerprint }) => fingerprint)))
  },
)

it('says when a finding was resolved, behind an old link to it', async () => {
  expect((await page('/?q=e5', some)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).toContain(
    'Mended fixed 2026-03-14 09:22 UTC 4 min ago',
  )
})

it('never shows an empty page where findings match, and leads back to the first page', async () => {
  const second = await page('/?severity=low&after=f21', longList)
  expect([shownIn(second)[0], countIn(second)]).toEqual(['f19', '60 findings match; shown: 10, the newest first'])
  expect(second).toContain('<a href="/?severity=low#findings-acme" data-live="jump">First page</a>')
  const first = shownIn(await page('/?severity=low', longList))
  for (const after of ['f1', 'nowhere'])
    expect(shownIn(await page(`/?severity=low&after=${after}`, longList))).toEqual(first)
})

it('shows at most five findings of a check, with a link to all, and opens those that are urgent', async () => {
  const html = await page('/', longList)
  expect(shownIn(html)).toHaveLength(10)
  expect(html).toContain('<a href="/?check=x#findings-acme" data-live="jump">All 40</a>')
  expect(html).toMatch(/<details class="group" id="group-acme-x" open="">/)
})

it('begins with what is urgent, what is new since yesterday and what expires next', async () => {
  const fresh = finding({ fingerprint: 'n1', check: 'x', severity: 'low', firstSeen: '2026-03-14T08:00:00Z' })
  const secrets = async () => [
    { clientId: 'a', name: 'Exporter', role: null, own: false, expiresAt: at - day },
    { clientId: 'b', name: 'Importer', role: null, own: false, expiresAt: at + 3 * day },
  ]
  const html = await page('/', { ...some, findings: findingsFrom([...views, fresh]), secrets })
  const now =
    /<div class="now">.*?<\/div>/s
      .exec(html)?.[0]
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ') ?? ''
  expect(now).toMatch(/^ Fix these now critical 9 user .* high 11 user Needle in it New since yesterday 1041 user x /)
  expect(now).toMatch(/Expires next 1 secret has expired secret of Importer in 3 days $/)
})

it.each([
  ['/?severity=severe', 400, 'Unknown severity &quot;severe&quot;: use info, low, medium, high, critical'],
  ['/?state=gone', 400, 'Unknown state &quot;gone&quot;: use open, waived, resolved, all'],
  ['/?sort=age', 400, 'Unknown parameter sort: use tenant, find, severity, check, state, q, after'],
  ['/?severity=%3Cb%3E', 400, 'Unknown severity &quot;&lt;b&gt;&quot;: use info, low, medium, high, critical'],
  ['/?tenant=nobody', 404, 'Unknown tenant: expected one of acme, globex'],
])('refuses %s, which would look like "nothing found"', async (path, status, text) => {
  const answer = await ask(path, some)
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(`<p class="empty">${text}</p>`)
  expect(answer.text).toContain('<a href="/">Status page</a>')
})

it('refuses a check that does not exist, by its nearest name', async () => {
  expect(await ask('/?check=document-curent')).toMatchObject({
    status: 400,
    text: expect.stringMatching(/>Unknown check &quot;document-curent&quot;; did you mean document-current\?</),
  })
})

it('keeps the other filters in the form and in the links', async () => {
  const html = await page('/?severity=high&check=y&q=n%22%3E', some)
  expect(html).toContain('<input type="hidden" name="severity" value="high">')
  expect(html).toContain('<option value="y" selected="">')
  expect(html).toContain('value="n&quot;&gt;"')
  expect(html).toContain('href="/?severity=critical&amp;check=y&amp;q=n%22%3E#findings-acme"')
  const marked = (text: string) => [...text.matchAll(/aria-current="true">(\w+)/g)].map(([, word]) => word)
  expect(marked(html)).toEqual(['high'])
  expect(marked(await page('/?severity=critical,high', some))).toEqual(['critical', 'high'])
  expect(marked(await page('/', some))).toEqual(['All'])
})

it('shows the evidence of each finding with time, request id and the explain command', async () => {
  const evidence = {
    email: 'jo@example.com',
    thresholdDays: 30,
    rule: 'f430',
    requestId: 'R-1',
    readAt: '2026-03-14T09:00:00Z',
    roles: [{ id: 1 }],
    policy: { mfaEnabled: true, readAt: '2026-03-14T09:00:00Z' },
    permissions: ['Api_A', 'Api_B'],
  }
  const html = await page('/', { ...some, findings: findingsFrom([finding({ check: 'y', evidence, reopened: 2 })]) })
  const details = /<details id="evidence-9c1f0a7be2d4">.*?<\/details>/s.exec(html)?.[0] ?? ''
  for (const text of [
    'jo@example.com',
    'Threshold, days',
    '>30<',
    'f430',
    'R-1',
    '2026-03-14T09:00:00Z',
    '[{&quot;id&quot;:1}]',
    'mfaEnabled: true, Read at: 2026-03-14T09:00:00Z',
    'Api_A, Api_B',
    'Rule (digest of its options)',
    '2 times',
    'tenantwatch explain 9c1f0a7be2d4',
  ])
    expect(details).toContain(text)
})

it('offers to accept the drifted state that a finding shows', async () => {
  const driftId = '9c1f0a7be2d4-5f2c90ab'
  const shown = async (evidence: Readonly<Record<string, unknown>>) =>
    (await page('/', { ...some, findings: findingsFrom([finding({ check: 'y', evidence })]) })).replaceAll(
      /<[^>]*>/g,
      '',
    )
  expect(await shown({ driftId })).toContain(`tenantwatch accept ${driftId} --reason TEXT`)
  expect(await shown({})).not.toContain('tenantwatch accept')
})

it('names the runbook of a check that has one', async () => {
  const view = check('y', { status: 'fail', open: { high: 1 }, runbook: 'TenantwatchMfaNotEnrolled' })
  const found = {
    posture: async () => [posture({ checks: [view] })],
    findings: findingsFrom([finding({ check: 'y' })]),
  }
  expect(await page('/', { ...some, ...found })).toContain('href="/runbook?name=TenantwatchMfaNotEnrolled"')
  expect(await page('/', some)).not.toContain('/runbook')
})

it('limits the evidence shown of a finding', async () => {
  const evidence = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`fact${i}`, 'x'.repeat(5000)]))
  const html = await page('/', { ...some, findings: findingsFrom([finding({ check: 'y', evidence })]) })
  expect(html).toContain('4,976 more facts')
  expect(html.length).toBeLessThan(60_000)
})

it('neither shows nor searches hidden details', async () => {
  const hiding = {
    ...some,
    findings: findingsFrom([finding({ check: 'y', entity: { type: 'user', id: '9', email: 'jo@example.com' } })]),
    changes: async () => [
      change({ field: 'email', before: 'canary@example.com', after: null, personal: true, names: ['canary Byron'] }),
    ],
  }
  const open = await page('/?q=jo%40example.com', hiding)
  expect([shownIn(open).length, open.includes('canary@example.com')]).toEqual([1, true])
  expect(open).toContain('<bdi>canary Byron</bdi> <span class="type"><bdi>1041</bdi></span>')
  const closed = await page('/?q=jo%40example.com', hiding, { exposeDetails: false })
  expect(shownIn(closed)).toEqual([])
  expect(closed).not.toContain('canary')
  expect(closed).toContain('<del><bdi>[hidden]</bdi></del>')
})

it('lists every data quality problem with its start and advice, the worst first', async () => {
  const down = (reason: 'timeout' | 'missing_permission') => [mode({ up: false, reason, lastSuccessAt: at - 4 * hour })]
  const html = await page('/', {
    posture: async () => [
      posture({
        holds: [
          {
            id: 'H-1',
            resource: 'documents',
            reason: 'shrink_held',
            count: 9,
            message: 'Many',
            raisedAt: at - 2 * hour,
          },
        ],
        resources: [
          resource('users', { quarantined: 3 }),
          resource('roles', {
            fresh: false,
            dataAsOf: at - 5 * hour,
            freshnessLimitMs: 3 * hour,
            modes: down('timeout'),
            message: 'No answer',
          }),
          resource('permissions', { modes: down('missing_permission'), refused: 'missing_permission' }),
          resource('documents'),
          resource('api-clients', { refused: 'unauthorized', message: 'The token is refused' }),
          resource('authentication-settings', { enabled: false, fresh: false }),
        ],
      }),
    ],
  })
  const list = /<ul class="problems">.*?<\/ul>/s.exec(html)?.[0] ?? ''
  const items = list
    .split('<li ')
    .slice(1)
    .map((item) => item.replaceAll(/<[^>]*>/g, ''))
  expect(items).toHaveLength(5)
  expect(items[0]).toContain('documents on hold since 2026-03-14 07:26 UTC, 2 h ago')
  expect(items[2]).toContain('permissions missing permission last full sync 2026-03-14 05:26 UTC, 4 h ago')
  expect(items[2]).toContain('Grant the permission')
  expect(items[1]).toContain(
    'api-clients unauthorized last full sync 2026-03-14 09:16 UTC, 10 min agoThe token is refused.',
  )
  expect(items[3]).toContain('roles stale since 2026-03-14 07:26 UTC, 2 h agoNo answer.')
  expect(items[4]).toContain('users quarantined as of')
  expect(items[4]).toContain('3 records in quarantine')
})

it('names the settings of a tenant once in its changes', async () => {
  const settings = change({ resource: 'authentication-settings', entity: 'authentication-settings' })
  const text = (await page('/', { changes: async () => [settings] })).replaceAll(/<[^>]*>/g, '')
  expect(text).toContain('authentication-settings')
  expect(text).not.toMatch(/authentication-settings\s*authentication-settings/)
})

it('shows one cause of several resources once, with the newest success, and other causes apart', async () => {
  const refused = (name: ResourceName, lastSuccessAt: number, message = 'The token is refused') =>
    resource(name, {
      ...{ refused: 'unauthorized', message },
      modes: [mode({ mode: 'incremental', up: false, reason: 'unauthorized', lastSuccessAt })],
    })
  const resources = [
    refused('documents', at - 3 * hour),
    refused('users', at - 2 * hour),
    refused('roles', at - hour, 'The token is refused for roles'),
    refused('permissions', at - hour, 'GET /api/public/permissions failed: ECONNREFUSED. Nothing listens there'),
    refused('api-clients', at - hour, 'GET /api/public/api-clients failed: ECONNREFUSED. Nothing listens there'),
  ]
  const html = await page('/', { posture: async () => [posture({ resources })] })
  const list = /<ul class="problems">.*?<\/ul>/s.exec(html)?.[0] ?? ''
  const items = list.split('<li ').slice(1)
  expect(items.map((item) => item.replaceAll(/^[^>]*>|<[^>]*>/g, ''))).toEqual([
    expect.stringContaining(
      'documents, users unauthorized last success 2026-03-14 07:26 UTC, 2 h agoThe token is refused.',
    ),
    expect.stringContaining(
      'roles unauthorized last incremental sync 2026-03-14 08:26 UTC, 1 h agoThe token is refused for roles.',
    ),
    expect.stringMatching(/^permissions, api-clients unauthorized .*GET \/api\/public\/permissions failed/),
  ])
})

it('offers no accept command for a hold that only another ownClientId ends', async () => {
  const hold = { id: 'H-1', reason: 'tenant_changed', count: 9, message: 'Missing', raisedAt: at } as const
  const shown = async (more: Partial<HoldView>) =>
    page('/', { posture: async () => [posture({ holds: [{ ...hold, resource: 'api-clients', ...more }] })] })
  expect(await shown({ effect: 'It does', replacesTenant: true })).toContain(
    '<p>If it is the right tenant, accept the replacement: <code',
  )
  expect(await shown({ effect: 'It does' })).toContain('<p>If the change is intended, accept all 9: <code')
  expect(await shown({ effect: 'Accepting replaces the data' })).toMatch(
    /Accepting replaces the data\.<\/p>\s*<p>.*tenantwatch accept <span>H-1/,
  )
  const html = await shown({ remedy: ownClientRemedy })
  expect(html).not.toContain('tenantwatch accept')
  expect(html).toContain('It cannot be accepted. Set ownClientId to')
  expect(html).toContain('<bdi>Missing.</bdi>')
})

it('says of a hold that was accepted when that takes effect', async () => {
  const hold = { id: 'H-1', reason: 'shrink_held', count: 9, message: 'Many', raisedAt: at } as const
  const accepted = { ...hold, resource: 'documents', acceptedReason: 'They <left>' } as const
  const html = await page('/', { posture: async () => [posture({ holds: [accepted] })] })
  expect(html).not.toContain('tenantwatch accept')
  expect(html.replaceAll(/<[^>]*>/g, '')).toContain(
    'Accepted: They &lt;left&gt;. It takes effect with the next full sync of documents, which a running daemon begins soon.',
  )
})

it('shows no zero of failures while a check is unknown', async () => {
  const cell = async (over: Parameters<typeof check>[1]) => {
    const html = await page('/', { posture: async () => [posture({ checks: [check('x', over)] })] })
    return /data-label="Fail"><div>(.*?)<\/div>/
      .exec(html)?.[1]
      ?.replaceAll(/<[^>]*>/g, ' ')
      .trim()
  }
  expect(await cell({ status: 'pass' })).toBe('0 of 12')
  expect(await cell({ status: 'fail', open: { high: 2 }, waived: { high: 1 } })).toBe('3 of 12  1 waived')
  expect(await cell({ status: 'unknown', reason: 'stale' })).toBe('? of 12')
  expect(await cell({ status: 'unknown', reason: 'stale', open: { high: 2 } })).toBe('at least  2 of 12')
  const notEvaluated = { status: 'fail', open: { high: 1 }, notEvaluated: 2 } as const
  expect(await cell({ ...notEvaluated, unevaluated: ['7', '9'] })).toBe('1 of 12  2 not evaluated:  7 ,  9')
  expect(await cell({ ...notEvaluated, unevaluated: ['7'] })).toBe('1 of 12  2 not evaluated:  7 , …')
  const id = 'b2c3d4e5-f601-4718-8293-a4b5c6d7e8f9'
  expect(await cell({ ...notEvaluated, notEvaluated: 1, unevaluated: [id] })).toBe(
    `1 of 12  1 not evaluated:  Reporting  ( ${id} )`,
  )
  const where = { notEvaluatedWhere: 'the role name is missing', unevaluated: ['7', '9'] }
  expect(await cell({ ...notEvaluated, ...where })).toBe('1 of 12  2 not evaluated (the role name is missing):  7 ,  9')
  expect(await cell(notEvaluated)).toBe('1 of 12  2 not evaluated')
  expect(await cell({ status: 'unknown', reason: 'never', entities: null })).toBe('? of ?')
  expect(await cell({ status: 'not_applicable', entities: 0 })).toBe('–')
})

it.each([
  [[resource('api-clients', { dataAsOf: null })], 'No API client was read yet.'],
  [[resource('api-clients', { live: 0 })], 'The list that was last read has no API client with a secret.'],
  [[resource('api-clients', { enabled: false })], 'API clients are switched off.'],
])('says why no secret is shown', async (resources, sentence) => {
  const html = await page('/?tenant=acme', {
    ...some,
    posture: async () => [posture({ resources })],
    secrets: async () => [],
  })
  expect(html).toContain(`<p class="empty">${sentence}</p>`)
})

it('limits the tables of secrets', async () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({
    clientId: `c${i}`,
    name: null,
    role: null,
    own: i === 4999,
    expiresAt: at + (i < 3000 ? 10 : 200) * day,
  }))
  const html = await page('/', { ...some, secrets: async () => many })
  expect(html).toContain('and 2,950 secrets more within 90 days')
  expect(html).toContain('1,999 secrets expire later')
  expect(html.length).toBeLessThan(120_000)
})

it('lists the last changes with old and new values and request ids', async () => {
  const changes = vi.fn(async () => [
    change(),
    change({ kind: 'removed', field: null, before: null, after: null, requestId: null }),
  ])
  const html = await page('/', { ...some, changes })
  expect(changes).toHaveBeenCalledWith('acme', 20, true)
  await page('/', { ...some, changes }, { exposeDetails: false })
  expect(changes).toHaveBeenLastCalledWith('acme', 20, false)
  expect(html).toContain(
    '<code><bdi>roleName</bdi></code> <span class="values"><del><bdi>Viewer</bdi></del> <span aria-hidden="true">&rarr;</span> <ins><bdi>Editor</bdi></ins>',
  )
  expect(html).toContain('6a1b9c2e-0f4d-4c55-8a77-3b1e5d9f0a12')
  expect(html).toContain('<span class="kind">removed</span>')
  const [read, create] = ['Api_Users_Read', 'Api_Users_Create'].map((code) => ({ code }))
  const ofRole = change({ resource: 'roles', field: 'permissions', before: [read], after: [create] })
  expect(await page('/', { ...some, changes: vi.fn(async () => [ofRole]) })).toContain(
    '<code><bdi>permissions</bdi></code> <span class="values"><bdi>+Api_Users_Create -Api_Users_Read</bdi></span>',
  )
})

it('shows owner, reason, end and state of each waiver', async () => {
  const waivers = [
    waiver({ id: 'W-later', covered: 40 }),
    waiver({ id: 'W-expired', state: 'expired', expiresAt: at - day, covered: 0 }),
    waiver({ id: 'W-lapsed', state: 'lapsed', covered: 0, lapsed: 3, expiresAt: at + day }),
    waiver({ id: 'W-orphaned', state: 'orphaned', covered: 0, expiresAt: at + 2 * day }),
  ]
  const html = await page('/', { posture: async () => [posture({ waivers })] })
  const rows = html
    .slice(html.indexOf('id="waivers-acme"'))
    .split('<tr role="row">')
    .slice(2)
    .map((row) => row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '))
  expect(rows.map((row) => /W-\w+/.exec(row)?.[0])).toEqual(['W-expired', 'W-lapsed', 'W-orphaned', 'W-later'])
  expect(rows[0]).toMatch(/expired It no longer covers any finding.*Jo Fields.*Both are kept until the audit is over/)
  expect(rows[1]).toMatch(/lapsed The accepted findings have changed.* 0 3 no longer/)
  expect(rows[2]).toMatch(/orphaned No check or entity matches it/)
  expect(rows[3]).toMatch(/active 40 /)
})

const fleet = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    posture({
      tenant: `t${i}`,
      checks: [check('x', i === count - 1 ? { status: 'fail', open: { critical: 1 } } : {})],
    }),
  )

it('shows a card for each tenant, the worst first, and all details', async () => {
  const html = await page('/', { posture: async () => fleet(3), findings: findingsFrom([]) })
  expect([...html.matchAll(/id="card-(\w+)"><a href="([^"]+)"/g)].map(([, name, href]) => [name, href])).toEqual([
    ['t2', '#tenant-t2'],
    ['t0', '#tenant-t0'],
    ['t1', '#tenant-t1'],
  ])
  expect(html).toContain('1 with failing checks or holds, 2 without problems')
  expect(html.match(/class="tenant"/g)).toHaveLength(3)
})

it('stays small with a thousand tenants and shows the details of one on demand', async () => {
  const secrets = vi.fn(async () => [])
  const all: Partial<WebSources> = {
    ...namesOf(Array.from({ length: 1000 }, (_, i) => `t${i}`)),
    posture: async (tenant) => fleet(1000).filter((one) => tenant === undefined || one.tenant === tenant),
    secrets,
    findings: findingsFrom([]),
  }
  const html = await page('/', all)
  expect(html.length).toBeLessThan(100_000)
  expect(secrets).not.toHaveBeenCalled()
  expect(/id="card-(\w+)"><a href="([^"]+)"/.exec(html)?.slice(1)).toEqual(['t999', '/?tenant=t999'])
  expect(html).toContain('and 800 more')
  expect(html).not.toContain('class="tenant"')
  const found = await page('/?find=t77', all)
  expect([...found.matchAll(/id="card-(\w+)"/g)].map(([, name]) => name)).toEqual([
    't77',
    ...Array.from({ length: 10 }, (_, i) => `t77${i}`),
  ])
  const one = await page('/?tenant=t5&severity=high', all)
  expect(one).toContain('id="tenant-t5"')
  expect(one).toContain('<a href="/">All tenants</a>')
  const only = { ...all, ...namesOf(['t5']), posture: async () => fleet(1000).filter(({ tenant }) => tenant === 't5') }
  expect(await page('/?tenant=t5', only)).not.toContain('All tenants')
  expect(one).toContain('<input type="hidden" name="tenant" value="t5">')
  expect(one.match(/class="tenant"/g)).toHaveLength(1)
})

it('serves its script as a module of its own that a strict content security policy lets run', async () => {
  const { headers, text } = await ask('/page.js')
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8')
  const policy = headers['content-security-policy']
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "form-action 'self'"])
    expect(policy).toContain(part)
  expect(policy).not.toContain('unsafe')
  expect(text).toContain('DOMParser')
})

it('says above everything that findings are filtered, with the way to them and to all', async () => {
  const html = await page('/?tenant=acme&check=x', some)
  expect(html).toContain(
    'The <a href="#findings-acme">findings below</a> are filtered: <a href="/?tenant=acme#findings-acme" data-live="">show all</a>',
  )
  expect(await page('/', some)).not.toContain('are filtered')
})

it('names the configuration file in its commands unless it is the default one', async () => {
  const hold = { id: 'H-1', resource: 'users', reason: 'shrink_held', count: 2, message: 'x', raisedAt: at } as const
  const commandsIn = async (wanted: Wanted) => {
    const held = { ...some, posture: async () => [posture({ holds: [hold] })] }
    const html = await page('/', held, wanted)
    return [...html.matchAll(/<code class="command">(.*?)<\/code>/g)].map(([, words = '']) =>
      words.replaceAll(/<[^>]*>/g, ''),
    )
  }
  const plain = await commandsIn({})
  expect(plain).toContain('tenantwatch accept H-1 --list')
  const named = plain.map((words) => `${words} --config &#39;/etc/o&#39;\\&#39;&#39;ps.yaml&#39;`)
  expect(await commandsIn({ configFile: "/etc/o'ps.yaml" })).toEqual(named)
})

it('begins with the findings where the address has a filter or a search', async () => {
  const order = async (path: string) =>
    [...(await page(path, some)).matchAll(/<section class="part" id="(\w+)-acme"/g)].map(([, id]) => id).slice(0, 3)
  expect(await order('/')).toEqual(['data', 'checks', 'findings'])
  for (const path of ['/?q=user', '/?severity=low', '/?state=all', '/?check=x'])
    expect(await order(path)).toEqual(['findings', 'data', 'checks'])
})
