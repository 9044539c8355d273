import { expect, it } from 'vitest'
import { hourMs } from '../../src/model/durations.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'
import { seenChanges } from '../support/events.ts'
import { startTime } from '../support/fake-clock.ts'

type Fields = Record<string, unknown>

const path = '/api/public/documents'
const day = 24 * hourMs

async function documents(): Promise<{ readonly test: TestEngine; readonly fileId: string }> {
  const test = await testEngine({
    problems: false,
    sizes: { documents: 12 },
    readings: { defaultPageSize: { documents: 5 } },
  })
  const [{ fileId } = { fileId: '' }] = [...test.sim.primary.state.documents()]
  test.sim.primary.updateDocument(fileId, { uploadStatus: 'Processing', updatedAt: startTime - 30 * day })
  return { test, fileId }
}

/** The first page, or each later one, shows the document as it was before it was changed. */
function showOlder(test: TestEngine, fileId: string, where: 'first' | 'later'): void {
  const older = (one: Fields) => {
    const updatedAt = new Date(startTime - 9001 * day).toISOString()
    return { ...one, fileId, uploadStatus: 'Completed', updatedAt }
  }
  test.sim.faults.add({
    path,
    ...(where === 'first' ? { page: 1 } : { hasCursor: true }),
    effect: {
      kind: 'transform',
      transform: (envelope) => {
        const data = envelope.data as Fields[]
        const [one] = data
        if (one === undefined) return envelope
        const others = data.filter((record) => record['fileId'] !== fileId)
        return { ...envelope, data: [older(one), ...others] }
      },
    },
  })
}

/** The document comes first or last in the list. */
function place(test: TestEngine, fileId: string, where: 'first' | 'last'): void {
  const { uploadStatus } = [...test.sim.primary.state.documents()].find((one) => one.fileId === fileId) ?? {}
  test.sim.primary.removeDocument(fileId)
  const createdAt = where === 'last' ? startTime : startTime - 9000 * day
  const updatedAt = where === 'last' ? startTime - 30 * day : createdAt
  test.sim.primary.addDocument({ fileId, uploadStatus: uploadStatus ?? null, createdAt, updatedAt })
}

const held = (test: TestEngine) =>
  test.query('select problem from quarantine order by resource, key').map(({ problem }) => problem)
const statusOf = (test: TestEngine, fileId: string) =>
  test.query('select upload_status, status_since from documents where file_id = ?', fileId)[0]
const changes = (test: TestEngine) => seenChanges(test.query).filter(({ kind }) => kind === 'changed').length

async function full(test: TestEngine): Promise<void> {
  test.clock.advance(hourMs)
  expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'success' })
}

it.each(['first', 'later'] as const)(
  'keeps the known version where the %s page shows an older one beside it',
  async (where) => {
    const { test, fileId } = await documents()
    place(test, fileId, where === 'first' ? 'last' : 'first')
    await full(test)
    const before = statusOf(test, fileId)
    showOlder(test, fileId, where)
    for (let n = 0; n < 4; n++) {
      await full(test)
      expect(held(test)).toEqual([])
      expect(statusOf(test, fileId)).toEqual(before)
    }
    expect(changes(test)).toBe(0)
  },
)

it('takes a newer version that comes behind an older one', async () => {
  const { test, fileId } = await documents()
  place(test, fileId, 'last')
  await full(test)
  showOlder(test, fileId, 'first')
  test.sim.primary.updateDocument(fileId, { uploadStatus: 'Completed', updatedAt: startTime })
  await full(test)
  expect(held(test)).toEqual([])
  expect(statusOf(test, fileId)).toMatchObject({ upload_status: 'Completed' })
})

it('takes an older version when a second full sync in a row shows no other one, over restarts', async () => {
  const { test, fileId } = await documents()
  await full(test)
  const older = { uploadStatus: 'Completed', updatedAt: startTime - 40 * day }
  test.sim.primary.updateDocument(fileId, older)
  await full(test)
  expect(held(test)).toEqual(['older version: updatedAt lies before that of the known one'])
  expect(statusOf(test, fileId)).toMatchObject({ upload_status: 'Processing' })
  await test.restart()
  await full(test)
  expect(held(test)).toEqual([])
  expect(statusOf(test, fileId)).toMatchObject({ upload_status: 'Completed' })
})

it('does not take an older version for that of an unfinished full sync', async () => {
  const { test, fileId } = await documents()
  place(test, fileId, 'last')
  await full(test)
  const before = statusOf(test, fileId)
  showOlder(test, fileId, 'first')
  const broken = test.sim.faults.add({ path, hasCursor: true, effect: { kind: 'status', status: 500 } })
  test.clock.advance(hourMs)
  expect(await test.run('documents', 'full')).toMatchObject({ outcome: 'failure' })
  expect(held(test)).toHaveLength(1)
  test.sim.faults.remove(broken.id)
  test.clock.advance(2 * day)
  await full(test)
  expect(held(test)).toEqual([])
  expect(statusOf(test, fileId)).toEqual(before)
  expect(changes(test)).toBe(0)
})
