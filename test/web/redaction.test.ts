import { expect, it } from 'vitest'
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

it('hides e-mail addresses in names of API clients and roles', async () => {
  const name = 'Sync of canary@example.com'
  const role = 'Role for canary@example.com'
  const [id, expiresAt] = ['3f0c2b1e-77aa-4f5e-9d11-0c51e7a2b9d4', 1_900_000_000_000]
  const of = finding({ message: `API client "${name}" has expired.`, evidence: { name, roles: [{ name: role }] } })
  const change = {
    resource: 'api-clients',
    entity: id,
    names: [],
    at: 0,
    kind: 'changed',
    field: 'name',
    before: null,
    after: name,
  }
  const shown = {
    ...sources,
    findings: findingsFrom([of]),
    changes: async () => [{ ...change, requestId: null, personal: false }],
    expiries: async () => [{ kind: 'secret', tenant: 'acme', id, name, role, own: false, at: expiresAt } as const],
    secrets: async () => [{ clientId: id, name, role, expiresAt, own: false }],
  }
  for (const exposeDetails of [true, false]) {
    await using web = await startServer({ exposeDetails, sources: shown })
    for (const path of ['/', '/api/v1/findings', '/calendar.ics']) {
      const text = (await (await fetch(web.origin + path)).text()).replaceAll('\r\n ', '')
      expect([path, text.includes('canary')]).toEqual([path, exposeDetails])
      expect(text).toContain('Sync of ')
    }
  }
})
