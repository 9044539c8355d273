import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type EntityPlace, entityOrder, firstPlaces } from '../../src/store/findings/entity-order.ts'
import type { FindingFilter } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import { user } from '../checks/support/facts.ts'
import { testMirror } from '../support/mirror.ts'
import { commitResult, findingOf, resultOf } from './support/results.ts'
import { readOne } from './support/two-tenants.ts'

/** More than one part of a scan, and more than are kept of its first pass. */
const many = 2300

async function scene() {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://acme.example.com', 1)
  const other = await mirror.openTenant('globex', 'https://globex.example.com', 1)
  // The ids come in another order than that of their numbers.
  const ids = Array.from({ length: many }, (_, i) => (i * 1009) % many)
  const batches = Array.from({ length: Math.ceil(many / 500) }, (_, n) =>
    ids.slice(n * 500, n * 500 + 500).map((id) => findingOf(id, { severity: id % 2 === 0 ? 'low' : 'high' })),
  )
  await commitResult(mirror, resultOf(tenant.id, now, batches))
  const document = findingOf('x', { entityType: 'document-name', entityId: 'plan 10.pdf' })
  await commitResult(mirror, resultOf(tenant.id, now, [[document]], { check: 'document-name-unique' }))
  await commitResult(mirror, resultOf(other.tenant.id, now, [[findingOf(5, { fingerprint: 'other' })]]))
  const find = async (more: FindingFilter) =>
    (await Array.fromAsync(mirror.findings({ tenantIds: [tenant.id], byEntity: 'ascending', ...more }))).flat()
  return { mirror, tenantId: tenant.id, find }
}

it('lists all findings by entity, numbers by their value, each once, in either direction', async () => {
  const { find } = await scene()
  const rising = (await find({})).map(({ entityId }) => entityId)
  expect(rising).toEqual([...Array.from({ length: many }, (_, i) => String(i)), 'plan 10.pdf'])
  expect((await find({ byEntity: 'descending' })).map(({ entityId }) => entityId)).toEqual(rising.toReversed())
})

it('filters the list by entity, and begins after a finding of it', async () => {
  const { mirror, tenantId, find } = await scene()
  const next = async (more: FindingFilter) => (await find(more)).slice(0, 2).map(({ fingerprint }) => fingerprint)
  expect(await next({ severities: ['high'] })).toEqual(['f1', 'f3'])
  expect(await next({ after: 'f1499' })).toEqual(['f1500', 'f1501'])
  expect(await next({ after: 'f1499', byEntity: 'descending' })).toEqual(['f1498', 'f1497'])
  expect(await next({ after: 'f2299', check: 'user-mfa-enrolled' })).toEqual([])
  expect(await next({ after: 'unknown' })).toEqual([])
  expect(await next({ text: 'USER 220' })).toEqual(['f220', 'f2200'])
  await readOne(mirror, tenantId, 'users', [user({ userId: 2000, email: 'countess@example.com' })])
  expect(await next({ text: 'countess', withPersonal: true })).toEqual(['f2000'])
  expect(await next({ text: 'countess' })).toEqual([])
})

const guids = ['1eed18c0', '02a443f3', '0d314678', 'c3000000'].map((start) => `${start}-4dc3-49fc-b971-04d39281c5cd`)

it('reads no number at the beginning of a GUID', () => {
  const sorted = [...guids, '7', '10'].map((entityId, id) => ({ id, entityId })).toSorted(entityOrder('ascending'))
  expect(sorted.map(({ entityId }) => entityId.slice(0, 8))).toEqual([
    '7',
    '10',
    '02a443f3',
    '0d314678',
    '1eed18c0',
    'c3000000',
  ])
})

const places = fc.array(fc.constantFrom('1', '02', '10', 'a', 'A', 'é', '', ...guids), { maxLength: 60 })

it('keeps the first places of any list', async () => {
  await fc.assert(
    fc.asyncProperty(places, fc.integer({ min: 1, max: 9 }), fc.nat(60), async (ids, most, at) => {
      const all: readonly EntityPlace[] = ids.map((entityId, id) => ({ id, entityId }))
      const compare = entityOrder('ascending')
      const sorted = all.toSorted(compare)
      const beyond = sorted[at] ?? null
      const found = await firstPlaces(
        (async function* () {
          yield all.slice(0, 20)
          yield all.slice(20)
        })(),
        { compare, most, beyond },
      )
      const from = beyond === null ? 0 : at + 1
      expect(found).toEqual(sorted.slice(from, from + most))
    }),
  )
})
