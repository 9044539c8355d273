import { expect, it, vi } from 'vitest'
import { silentLog } from '../../src/model/log.ts'
import { finding } from './support/scene.ts'
import { findingsFrom, sources, startServer } from './support/server.ts'

it('destroys the connection when findings fail in the middle of the list', async () => {
  const findings = async function* () {
    for (let i = 0; i < 500; i += 1) yield finding({ message: 'x'.repeat(2000) })
    throw new Error('SECRET')
  }
  const error = vi.fn()
  await using web = await startServer({ sources: { ...sources, findings }, log: { ...silentLog(), error } })
  const answer = await fetch(`${web.origin}/api/v1/findings`)
  await expect(answer.text()).rejects.toThrow()
  await vi.waitFor(() => expect(error).toHaveBeenCalledOnce(), 30_000)
})

it('stops reading findings when the client disconnects and logs nothing', async () => {
  const console_ = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
  const returned = vi.fn()
  const findings = async function* () {
    try {
      for (;;) yield finding({ message: 'x'.repeat(5000) })
    } finally {
      returned()
    }
  }
  const error = vi.fn()
  await using web = await startServer({ sources: { ...sources, findings }, log: { ...silentLog(), error } })
  const cut = new AbortController()
  const answer = await fetch(`${web.origin}/api/v1/findings`, { signal: cut.signal })
  await answer.body?.getReader().read()
  cut.abort()
  await vi.waitFor(() => expect(returned).toHaveBeenCalled(), 30_000)
  expect(error).not.toHaveBeenCalled()
  for (const spy of console_) expect(spy).not.toHaveBeenCalled()
})

it('filters findings by its query and refuses unknown values', async () => {
  const all = [
    finding({ fingerprint: 'a' }),
    finding({ fingerprint: 'b', severity: 'low' }),
    finding({ fingerprint: 'c', tenant: 'globex', state: 'waived', owner: 'hr' }),
    finding({ fingerprint: 'd', check: 'auth-sso-enforced', state: 'resolved', resolution: 'fixed' }),
  ]
  await using web = await startServer({ sources: { ...sources, findings: findingsFrom(all) } })
  const ids = async (query: string) => {
    const answer = await fetch(`${web.origin}/api/v1/findings${query}`)
    const body = (await answer.json()) as { fingerprint: string; error?: string }[] & { error?: string }
    return answer.ok ? body.map(({ fingerprint }) => fingerprint).join('') : `${answer.status} ${body.error}`
  }
  expect(await ids('')).toBe('ab')
  expect(await ids('?state=all')).toBe('abcd')
  expect(await ids('?state=waived,resolved')).toBe('cd')
  expect(await ids('?severity=low')).toBe('b')
  expect(await ids('?tenant=globex&state=all')).toBe('c')
  expect(await ids('?check=auth-sso-enforced&state=all')).toBe('d')
  expect(await ids('?owner=hr&state=all')).toBe('c')
  expect(await ids('?owner=hrr')).toBe('400 Unknown owner "hrr"; did you mean hr?')
  expect(await ids('?tenant=acm')).toBe('404 Unknown tenant "acm"; did you mean acme?')
  expect(await ids('?check=user-mfa-enroled')).toBe(
    '400 Unknown check "user-mfa-enroled"; did you mean user-mfa-enrolled?',
  )
  expect(await ids('?severity=severe')).toMatch(/^400 Unknown severity "severe"/)
  expect(await ids('?sevrity=low')).toMatch(/^400 Unknown parameter sevrity/)
  expect(await ids('?state=gone')).toMatch(/^400 Unknown state "gone"/)
})

it('gives findings in parts, each with a link to the next, and refuses rubbish', async () => {
  const all = Array.from({ length: 25 }, (_, n) => finding({ fingerprint: `f${n}`, severity: 'high' }))
  const findings = findingsFrom([...all, finding({ fingerprint: 'low', severity: 'low' })])
  await using web = await startServer({ sources: { ...sources, findings } })
  const seen: string[] = []
  const sizes: number[] = []
  let path: string | undefined = '/api/v1/findings?severity=high&limit=10'
  while (path !== undefined) {
    const answer = await fetch(`${web.origin}${path}`)
    const body = (await answer.json()) as { readonly fingerprint: string }[]
    sizes.push(body.length)
    seen.push(...body.map(({ fingerprint }) => fingerprint))
    path = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  expect(sizes).toEqual([10, 10, 5])
  expect(seen).toEqual(all.map(({ fingerprint }) => fingerprint))
  const refused = async (query: string) => (await fetch(`${web.origin}/api/v1/findings?${query}`)).text()
  for (const limit of ['0', '1001', '-1', '1.5', 'all', '']) {
    expect(await refused(`limit=${limit}`)).toBe('{"error":"The limit must be a whole number from 1 to 1000"}')
  }
  for (const cursor of ['abc', '']) expect(await refused(`cursor=${cursor}`)).toContain('No finding has this cursor')
})

it('gives findings as CSV, with the same filter', async () => {
  const all = [
    finding({ fingerprint: 'a', message: '=cmd' }),
    finding({ fingerprint: 'b', severity: 'low' }),
    finding({ fingerprint: 'c', state: 'waived' }),
  ]
  await using web = await startServer({ sources: { ...sources, findings: findingsFrom(all) } })
  const path = '/api/v1/findings.csv'
  const answer = await fetch(`${web.origin}${path}`)
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="findings.csv"')
  const [heading, ...rows] = (await answer.text()).trimEnd().split('\r\n')
  expect(heading).toMatch(/^"severity","check","message","entityType","entityId"/)
  const at = heading?.split(',').indexOf('"fingerprint"') ?? -1
  expect(rows.map((row) => row.split(',')[at])).toEqual(['"a"', '"b"'])
  expect(rows[0]).toContain(`"'=cmd"`)
  expect((await (await fetch(`${web.origin}${path}?severity=low&state=all`)).text()).split('\r\n')).toHaveLength(3)
  expect((await fetch(`${web.origin}${path}?limit=1`)).status).toBe(400)
})

it('searches a text in what is shown, in any letter case', async () => {
  const all = [
    finding({
      fingerprint: 'a1003',
      message: 'Secret expires',
      entity: { type: 'document-name', id: 'jane.pdf' },
      evidence: { requestId: 'r-9-1041-9' },
    }),
    finding({ fingerprint: 'b', message: 'Not enrolled' }),
  ]
  await using web = await startServer({ exposeDetails: false, sources: { ...sources, findings: findingsFrom(all) } })
  const found = async (q: string) => {
    const answer = await fetch(`${web.origin}/api/v1/findings?q=${encodeURIComponent(q)}&limit=10`)
    return ((await answer.json()) as { readonly fingerprint: string }[]).map(({ fingerprint }) => fingerprint)
  }
  expect(await found('EXPIRES')).toEqual(['a1003'])
  // Of the fingerprint its beginning, of the evidence nothing.
  expect([await found('1003'), await found('a100'), await found('1041')]).toEqual([[], ['a1003'], ['b']])
  // Hidden, so it is not found; what the placeholder says is.
  expect(await found('jane')).toEqual([])
  expect(await found('hidden')).toEqual(['a1003'])
  all.push(finding({ fingerprint: 'c', message: 'The secret of API client "jo@example.com" expired', evidence: {} }))
  for (const q of ['e-mail', 'client "[E-Mail]']) expect(await found(q)).toEqual(['c'])
  expect(await found('jo@example')).toEqual([])
})

it('refuses a parameter that is given twice, in JSON and on the page', async () => {
  await using web = await startServer()
  const answer = async (path: string) => {
    const response = await fetch(`${web.origin}${path}`)
    return `${response.status} ${(await response.text()).trim()}`
  }
  const sentence = 'is given more than once: give it once'
  expect(await answer('/api/v1/findings?state=all&state=open')).toBe(`400 {"error":"Parameter state ${sentence}"}`)
  expect(await answer('/api/v1/findings?tenant=acme&tenant=acme')).toMatch(/^400 /)
  expect(await answer('/?tenant=acme&severity=low&tenant=globex')).toContain(`Parameter tenant ${sentence}`)
  expect(await answer('/healthz?x=1&x=2')).toMatch(/^200 /)
})

it.each([
  ['/api/v1/checks?tenant=acme', 'Unknown parameter tenant: /api/v1/checks takes none'],
  ['/api/v1/status?tenant=acme', 'Unknown parameter tenant: /api/v1/status takes none'],
  ['/?bogus=1', 'Unknown parameter bogus: use tenant, find, severity, check, owner, state, q, days, after'],
])('refuses a parameter that %s does not take', async (path, sentence) => {
  await using web = await startServer()
  const answer = await fetch(web.origin + path)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(sentence)
})
