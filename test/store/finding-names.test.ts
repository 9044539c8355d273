import { expect, it } from 'vitest'
import type { FindingFilter } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import { document, user } from '../checks/support/facts.ts'
import { testMirror } from '../support/mirror.ts'
import { check, commitResult, findingOf, resultOf } from './support/results.ts'
import { readInFull, readOne, recordsOf } from './support/two-tenants.ts'

const fileId = '9c1f0a7b-e2d4-4f5e-9d11-0c51e7a2b9d4'
const unusual = '田中'

async function scene() {
  const test = testMirror()
  const { mirror } = test
  const acme = await readInFull(mirror, 'acme', {
    ...recordsOf('acme'),
    users: [
      user({ userId: 1, firstName: 'Ada ', lastName: ' Lovelace', email: 'countess@example.com' }),
      user({ userId: 2, firstName: unusual, lastName: null, email: '50%_off@example.com' }),
    ],
    documents: [document({ fileId, filename: 'Payroll 2026.pdf' })],
  })
  const globex = await readInFull(mirror, 'globex', recordsOf('globex'))
  const find = async (filter: FindingFilter) => (await Array.fromAsync(mirror.findings(filter))).flat()
  const found = async (text: string, more: FindingFilter = { withPersonal: true }) =>
    (await find({ ...more, text })).map(({ fingerprint }) => fingerprint)
  return { ...test, acme, globex, find, found }
}

const ofDocument = findingOf('doc', { entityType: 'document', entityId: fileId.toUpperCase() })

it('finds users by name and e-mail and documents by file name, of their own tenant', async () => {
  const { mirror, acme, globex, found } = await scene()
  await commitResult(mirror, resultOf(acme, now, [[findingOf(1), findingOf(2), ofDocument]]))
  const elsewhere = [findingOf(1, { fingerprint: 'g1' }), findingOf(3, { fingerprint: 'g3' })]
  await commitResult(mirror, resultOf(globex, now, [elsewhere]))
  expect(await found('ada lovelace')).toEqual(['f1'])
  expect(await found('COUNTESS@')).toEqual(['f1'])
  expect(await found(unusual)).toEqual(['f2'])
  expect(await found('50%_OFF')).toEqual(['f2'])
  expect(await found('50x')).toEqual([])
  expect(await found('payroll 2026')).toEqual(['fdoc'])
  expect(await found('3@globex.example')).toEqual(['g3'])
  expect(await found('lovelace', { withPersonal: true, tenantIds: [globex] })).toEqual([])
})

it('neither searches nor reads personal fields unless it is told to', async () => {
  const { mirror, acme, find, found } = await scene()
  await commitResult(mirror, resultOf(acme, now, [[findingOf(1), ofDocument]]))
  for (const text of ['lovelace', 'countess', 'payroll', unusual]) expect(await found(text, {})).toEqual([])
  expect((await find({})).map(({ personal }) => personal)).toEqual([undefined, undefined])
  expect((await find({ withPersonal: true })).map(({ personal }) => personal)).toEqual([
    { firstName: 'Ada ', lastName: ' Lovelace', email: 'countess@example.com' },
    { filename: 'Payroll 2026.pdf' },
  ])
})

it('finds a name beyond the first part of a search, in either order', async () => {
  const { mirror, acme, found } = await scene()
  const many = Array.from({ length: 2100 }, (_, i) => findingOf(i + 1000))
  await commitResult(mirror, resultOf(acme, now, [many, [findingOf(1)]]))
  for (const more of [{}, { newestFirst: true }, { check }])
    expect(await found('lovelace', { withPersonal: true, ...more })).toEqual(['f1'])
})

it('takes no other record for the entity, and reads ids that are of no record', async () => {
  const { mirror, acme, find, found } = await scene()
  const ids = ['01', '1x', '-1', '', '99999999999999999999', ' 1', 'Ada']
  const strange = ids.map((entityId) => findingOf(`-${entityId}`, { entityId }))
  const otherType = [findingOf('other', { entityType: 'entity', entityId: '1' })]
  await commitResult(mirror, resultOf(acme, now, [strange, otherType]))
  expect(await find({ withPersonal: true })).toHaveLength(ids.length + 1)
  expect((await find({ withPersonal: true })).flatMap(({ personal }) => personal ?? [])).toEqual([])
  expect(await found('nobody at all')).toEqual([])
})

it('knows the name of a removed user, and of none after a change', async () => {
  const { mirror, acme, found } = await scene()
  await commitResult(mirror, resultOf(acme, now, [[findingOf(1), findingOf(2)]]))
  await readOne(mirror, acme, 'users', [user({ userId: 1, lastName: 'King', email: 'king@example.com' })])
  expect(await found('king')).toEqual(['f1'])
  expect(await found('lovelace')).toEqual([])
  expect(await found(unusual)).toEqual(['f2'])
})

it('finds letters of every alphabet in any case, and signs as they are', async () => {
  const { mirror, acme, found } = await scene()
  const names = ['Иван МакДональд', 'İbrahim ALİ', 'Straße', 'ΟΔΟΣ 7', 'Über [1]*?.^$(x)\\%_']
  const users = names.map((lastName, i) => user({ userId: i + 10, firstName: null, lastName, email: null }))
  await readOne(mirror, acme, 'users', users)
  await commitResult(mirror, resultOf(acme, now, [names.map((_, i) => findingOf(i + 10))]))
  const of = (i: number) => [`f${i + 10}`]
  for (const text of ['иван', 'ИВАН', 'макдональд', 'МАКДОНАЛЬД', 'ан мак']) expect(await found(text)).toEqual(of(0))
  for (const text of ['İBRAHİM', 'ALİ', 'ali\u0307']) expect(await found(text)).toContain('f11')
  expect(await found('straße')).toEqual(of(2))
  for (const text of ['οδος', 'ΟΔΟΣ', 'οδοσ']) expect(await found(text)).toContain('f13')
  for (const text of ['über', 'ÜBER [1]*?.^$(X)\\%_', ' [1]*?.^$(x)\\%_']) expect(await found(text)).toEqual(of(4))
  for (const text of ['иваны', 'ü', 'über*x', 'übe.', 'übe[r]', 'straßen'])
    expect(await found(text)).not.toContain('f10')
  for (const text of ['über*x', 'übe.', 'übe[r]']) expect(await found(text)).toEqual([])
})
