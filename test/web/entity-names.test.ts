import { expect, it } from 'vitest'
import { withoutDetails } from '../../src/model/text/redact-finding.ts'
import type { FindingQuery } from '../../src/web/web-options.ts'
import { ask } from './support/ask.ts'
import { finding } from './support/scene.ts'
import { findingsFrom, sources, webOptions } from './support/server.ts'

const named = [
  finding({
    fingerprint: 'a1',
    entity: { type: 'user', id: '1041', name: 'Ada <b>Lovelace', email: 'countess@example.com' },
    evidence: {},
  }),
  finding({ fingerprint: 'b2', entity: { type: 'document', id: 'd-7', filename: 'payroll.pdf' }, evidence: {} }),
]
const paths = ['/', '/api/v1/findings', '/api/v1/findings?limit=5', '/api/v1/findings.csv']
const texts = ['lovelace', 'countess@', 'payroll']

/** A source that hands names over whatever it is asked. */
async function shownAt(path: string, exposeDetails: boolean) {
  const asked: FindingQuery[] = []
  const findings: typeof sources.findings = (query) => {
    asked.push(query)
    return findingsFrom(named)(query)
  }
  const { text } = await ask(webOptions({ exposeDetails, sources: { ...sources, findings } }), path)
  return { text, asked }
}

it('shows names, e-mails and file names only where details are shown', async () => {
  for (const path of paths) {
    const open = await shownAt(path, true)
    for (const text of texts)
      expect([path, open.text.replaceAll('<wbr>', '').toLowerCase().includes(text)]).toEqual([path, true])
    const closed = await shownAt(path, false)
    for (const text of texts)
      expect([path, closed.text.replaceAll('<wbr>', '').toLowerCase().includes(text)]).toEqual([path, false])
  }
})

it('asks the mirror for names only where details are shown', async () => {
  for (const path of [...paths, '/?q=ada', '/api/v1/findings?q=ada'])
    for (const exposeDetails of [true, false]) {
      const { asked } = await shownAt(path, exposeDetails)
      expect([path, asked.map(({ withPersonal }) => withPersonal)]).toEqual([path, asked.map(() => exposeDetails)])
    }
})

it('finds a finding by its names only where they are shown', async () => {
  for (const q of ['LOVELACE', 'countess@', 'payroll.PDF']) {
    const path = `/api/v1/findings?q=${encodeURIComponent(q)}`
    expect(JSON.parse((await shownAt(path, true)).text)).toHaveLength(1)
    expect(JSON.parse((await shownAt(path, false)).text)).toEqual([])
    const page = `/?q=${encodeURIComponent(q)}`
    expect((await shownAt(page, true)).text).toMatch(/id="count-acme"[^>]*>1 finding/)
    expect((await shownAt(page, false)).text).toMatch(/id="count-acme"[^>]*>0 findings/)
  }
})

it('escapes names on the page, before the id', async () => {
  const { text } = await shownAt('/', true)
  expect(text).toContain(
    '<strong><bdi>Ada &lt;b&gt;Lovelace</bdi> · <bdi>countess@example.com</bdi></strong> <span class="type">user <bdi>1041</bdi></span>',
  )
})

it('tells what a text is searched in', async () => {
  expect((await shownAt('/', true)).text).toContain('placeholder="Name, e-mail, file, id, word"')
  expect((await shownAt('/', false)).text).toContain('placeholder="Id or word"')
})

it('leaves no name in a finding without details', () => {
  expect(named.map((view) => withoutDetails(view).entity)).toEqual([
    { type: 'user', id: '1041' },
    { type: 'document', id: 'd-7' },
  ])
})
