import { expect, it } from 'vitest'
import type { FindingFilter } from '../../src/store/port.ts'
import { now } from '../checks/support/facts.ts'
import { testMirror } from '../support/mirror.ts'
import { commitResult, findingOf, resultOf } from './support/results.ts'

/** More than a batch. */
const many = 2300

/** In the order in which they are opened, which is not that of their numbers. */
const ids = Array.from({ length: many }, (_, i) => (i * 1009) % many)

const opened = [...ids.map((id) => `f${id}`), 'fx']

async function scene() {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://acme.example.com', 1)
  const other = await mirror.openTenant('globex', 'https://globex.example.com', 1)
  const batches = Array.from({ length: Math.ceil(many / 500) }, (_, n) =>
    ids.slice(n * 500, n * 500 + 500).map((id) => findingOf(id, { severity: id % 2 === 0 ? 'low' : 'high' })),
  )
  await commitResult(mirror, resultOf(tenant.id, now, batches))
  const document = findingOf('x', { entityType: 'document-name', entityId: 'plan 10.pdf' })
  await commitResult(mirror, resultOf(tenant.id, now, [[document]], { check: 'document-name-unique' }))
  await commitResult(mirror, resultOf(other.tenant.id, now, [[findingOf(5, { fingerprint: 'other' })]]))
  const find = async (more: FindingFilter) =>
    (await Array.fromAsync(mirror.findings({ tenantIds: [tenant.id], ...more }))).flat()
  return { find, mirror, tenant }
}

it('lists all findings as they were opened, each once, in either direction', async () => {
  const { find } = await scene()
  const rising = (await find({})).map(({ fingerprint }) => fingerprint)
  expect(rising).toEqual(opened)
  expect((await find({ descending: true })).map(({ fingerprint }) => fingerprint)).toEqual(opened.toReversed())
})

it('filters the list, and begins after a finding of it', async () => {
  const { find } = await scene()
  const next = async (more: FindingFilter) => (await find(more)).slice(0, 2).map(({ fingerprint }) => fingerprint)
  expect(await next({ severities: ['high'] })).toEqual(['f1009', 'f727'])
  expect(await next({ after: `f${ids[1500]}` })).toEqual([`f${ids[1501]}`, `f${ids[1502]}`])
  expect(await next({ after: `f${ids[1500]}`, descending: true })).toEqual([`f${ids[1499]}`, `f${ids[1498]}`])
  expect(await next({ after: `f${ids.at(-1)}`, check: 'user-mfa-enrolled' })).toEqual([])
  expect(await next({ after: 'unknown' })).toEqual([])
})

it('lists the highest severity first, then by check and first opening, each once', async () => {
  const { find } = await scene()
  const found = await find({ order: 'severity' })
  const isHigh = (id: number) => id % 2 === 1
  const numbers = [...ids.filter(isHigh), ...ids.filter((id) => !isHigh(id))]
  const high = found.findIndex(({ severity }) => severity !== 'high')
  expect(found.map(({ fingerprint }) => fingerprint).filter((one) => one !== 'fx')).toEqual(
    numbers.map((id) => `f${id}`),
  )
  expect(found.slice(0, high).map(({ check }) => check)).toEqual([
    'document-name-unique',
    ...Array.from({ length: high - 1 }, () => 'user-mfa-enrolled'),
  ])
})

it('loses and repeats no finding whose severity changes while the list is read', async () => {
  const { mirror, tenant } = await scene()
  const seen: string[] = []
  for await (const batch of mirror.findings({ tenantIds: [tenant.id], order: 'severity' })) {
    seen.push(...batch.map(({ fingerprint }) => fingerprint))
    const changed = ids.map((id) => findingOf(id, { severity: id % 2 === 0 ? 'high' : 'low' }))
    if (seen.length === batch.length) await commitResult(mirror, resultOf(tenant.id, now + 1, [changed]))
  }
  expect(seen.toSorted()).toEqual(opened.toSorted())
})

it('gives an evaluation every open finding of its check once', async () => {
  const { mirror, tenant } = await scene()
  const open = (await Array.fromAsync(mirror.openDigests(tenant.id, 'user-mfa-enrolled'))).flat()
  expect(open.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(opened.slice(0, -1).toSorted())
})
