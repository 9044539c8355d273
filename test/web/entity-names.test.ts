import { expect, it } from 'vitest'
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

it('finds a finding by its names only where they are shown', async () => {
  for (const q of ['LOVELACE', 'countess@', 'payroll.PDF']) {
    const path = `/api/v1/findings?q=${encodeURIComponent(q)}`
    expect(JSON.parse((await shownAt(path, true)).text)).toHaveLength(1)
    expect(JSON.parse((await shownAt(path, false)).text)).toEqual([])
    const page = `/?q=${encodeURIComponent(q)}`
    expect((await shownAt(page, true)).text).toMatch(/id="count-acme"[^>]*>1 of /)
    expect((await shownAt(page, false)).text).toMatch(/id="count-acme"[^>]*>0 of /)
  }
})
