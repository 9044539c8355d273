import { expect, it } from 'vitest'
import { createViews } from '../../src/daemon/views.ts'
import { readFindings } from '../../src/evaluate/findings/read-findings.ts'
import type { FindingView } from '../../src/model/finding.ts'
import { shownFindings } from '../../src/web/shown-findings.ts'
import { document, now, user } from '../checks/support/facts.ts'
import { loadText } from '../config/load.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { testMirror } from '../support/mirror.ts'
import { readInFull } from '../support/read-in-full.ts'
import { commitResult, findingOf, resultOf } from './support/results.ts'
import { openWith, recordsOf } from './support/two-tenants.ts'

const fileId = '9c1f0a7b-e2d4-4f5e-9d11-0c51e7a2b9d4'
const unusual = '田中'
const tenants = ['acme', 'globex'].map(
  (name) => `{ name: ${name}, baseUrl: "https://${name}.example.com", auth: { token: { env: TOKEN } } }`,
)
const configured = () => loadText(`tenants: [${tenants.join(', ')}]`, { TOKEN: 'x' }).settings

async function scene() {
  const test = testMirror()
  const { mirror } = test
  const acme = await openWith(mirror, 'acme', {
    ...recordsOf('acme'),
    users: [
      user({ userId: 1, firstName: 'Ada ', lastName: ' Lovelace', email: 'countess@example.com' }),
      user({ userId: 2, firstName: unusual, lastName: null, email: '50%_off@example.com' }),
    ],
    documents: [document({ fileId, filename: 'Payroll 2026.pdf' })],
  })
  const globex = await openWith(mirror, 'globex', recordsOf('globex'))
  const views = createViews(mirror, configured(), fakeClock(now))
  const find = async (text: string, exposeDetails = true): Promise<readonly FindingView[]> =>
    Array.fromAsync(shownFindings(views.findings, { text }, exposeDetails))
  const found = async (text: string, exposeDetails = true) =>
    (await find(text, exposeDetails)).map(({ fingerprint }) => fingerprint)
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
})

it('neither searches nor reads personal fields unless details are shown', async () => {
  const { mirror, acme, find, found } = await scene()
  await commitResult(mirror, resultOf(acme, now, [[findingOf(1), ofDocument]]))
  for (const text of ['lovelace', 'countess', 'payroll']) expect(await found(text, false)).toEqual([])
  const names = (await find('')).map(({ entity: { type: _, id: __, ...of } }) => of)
  expect(names).toEqual([{ name: 'Ada Lovelace', email: 'countess@example.com' }, { filename: 'Payroll 2026.pdf' }])
})

it('takes no other record for the entity, and reads ids that are of no record', async () => {
  const { mirror, acme, find } = await scene()
  const ids = ['01', '1x', '-1', '', '99999999999999999999', ' 1', 'Ada']
  const strange = ids.map((entityId) => findingOf(`-${entityId}`, { entityId }))
  const otherType = [findingOf('other', { entityType: 'entity', entityId: '1' })]
  await commitResult(mirror, resultOf(acme, now, [strange, otherType]))
  expect((await find('')).map(({ entity }) => Object.keys(entity))).toEqual(Array(ids.length + 1).fill(['type', 'id']))
})

it('knows the present name', async () => {
  const { mirror, acme, found } = await scene()
  await commitResult(mirror, resultOf(acme, now, [[findingOf(1), findingOf(2)]]))
  await readInFull(mirror, acme, 'users', [user({ userId: 1, lastName: 'King', email: 'king@example.com' })], now)
  expect([await found('king'), await found('lovelace'), await found(unusual)]).toEqual([['f1'], [], ['f2']])
})

it('finds owners by the names of clients and roles that the evidence lacks, also of a removed one', async () => {
  const { mirror, acme } = await scene()
  await readInFull(mirror, acme, 'roles', [], now)
  const ids = { 'api-client': 'c1', 'role-permissions': '1', user: '1' }
  const found = Object.entries(ids).map(([entityType, entityId]) => findingOf(entityType, { entityType, entityId }))
  await commitResult(mirror, resultOf(acme, now, [found]))
  const owners = [{ name: 'platform', client: 'ACME', role: 'ac*' }]
  const owned = await Array.fromAsync(readFindings({ store: mirror, waivers: [], owners, now, owner: 'platform' }))
  expect(owned.map(({ entity }) => entity.type)).toEqual(['api-client', 'role-permissions'])
})
