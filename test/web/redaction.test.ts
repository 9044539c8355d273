import { expect, it } from 'vitest'
import { exposesDetails } from '../../src/web/access-control.ts'
import { finding } from './support/scene.ts'
import { findingsFrom, sources, startServer } from './support/server.ts'

const views = [
  finding({ evidence: { email: 'canary@example.com', firstName: 'Canary', lastName: 'Bird', mfaStatus: false } }),
  finding({ entity: { type: 'document-name', id: 'canary.pdf' }, evidence: { filename: 'canary.pdf', count: 2 } }),
]

it('hides names, e-mails and file names from the JSON where details may not be shown', async () => {
  for (const exposeDetails of [true, false]) {
    await using web = await startServer({ exposeDetails, sources: { ...sources, findings: findingsFrom(views) } })
    const text = await (await fetch(`${web.origin}/api/v1/findings`)).text()
    expect(text.toLowerCase().includes('canary')).toBe(exposeDetails)
    expect(JSON.parse(text)).toHaveLength(2)
    expect(text).toContain('"mfaStatus":false')
  }
})

it('shows details on loopback or behind authentication by default', () => {
  expect(exposesDetails('auto', '127.0.0.1', false)).toBe(true)
  expect(exposesDetails('auto', '0.0.0.0', false)).toBe(false)
  expect(exposesDetails('auto', 'page.localhost', false)).toBe(false)
  expect(exposesDetails('auto', '0.0.0.0', true)).toBe(true)
  expect(exposesDetails(true, '0.0.0.0', false)).toBe(true)
  expect(exposesDetails(false, '127.0.0.1', true)).toBe(false)
})
