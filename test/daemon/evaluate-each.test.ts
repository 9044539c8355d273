import { expect, it } from 'vitest'
import { evaluateEach } from '../../src/daemon/evaluate-each.ts'
import type { TenantParts } from '../../src/daemon/tenant-parts.ts'
import { SyncError } from '../../src/model/errors.ts'

const tenants = ['acme', 'beta', 'gamma'].map(
  (name) => ({ settings: { name }, store: { storeConfirmations: async () => {} } }) as unknown as TenantParts,
)
const refused = new SyncError('store', 'The database server refused a statement (23505)')

const cases: [string, { problem: Error; ping?: Error; evaluated: string[] }][] = [
  ['goes on', { problem: refused, evaluated: ['acme', 'beta', 'gamma'] }],
  ['ends where the database is away', { problem: refused, ping: new Error('away'), evaluated: ['acme', 'beta'] }],
  ['ends when aborted', { problem: new SyncError('aborted', 'The daemon ends'), evaluated: ['acme', 'beta'] }],
]
it.each(cases)('%s after a tenant whose results cannot be stored, and fails then', async (_, wanted) => {
  const evaluated: string[] = []
  const ping = async () => {
    if (wanted.ping !== undefined) throw wanted.ping
  }
  const each = evaluateEach(tenants, { ping }, async ({ settings: { name } }) => {
    evaluated.push(name)
    if (name === 'beta') throw wanted.problem
    return null
  })
  await expect(each).rejects.toBe(wanted.ping ?? wanted.problem)
  expect(evaluated).toEqual(wanted.evaluated)
})
