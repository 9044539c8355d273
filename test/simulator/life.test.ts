import { expect, it } from 'vitest'
import { call, fullSync, records, start, startTime } from './support.ts'

const ofUsers = ['invitationsAccepted', 'mfaChanges', 'usersJoining', 'usersLeaving']
const ofDocuments = ['documentsDeleted', 'documentsIngested', 'documentsUpdated', 'documentsUploaded']

it('performs every kind of event within a hundred steps', async () => {
  let now = startTime
  const simulator = await start({ clock: () => now })
  const events = Array.from({ length: 100 }, () => {
    now += 600_000
    return simulator.live()
  }).flat()
  const kinds = new Set(events.map(({ kind }) => kind))
  expect([...kinds].toSorted()).toEqual([...ofUsers, ...ofDocuments, 'secretsRotated'].toSorted())
  expect(new Set(events.map(({ tenant }) => tenant))).toEqual(new Set(['primary', 'second']))
  expect((await fullSync(simulator, '/users')).records).toHaveLength(simulator.primary.users.records.size)
})

it('completes an upload when its ingestion is over, at the end of the feed and without a step of life', async () => {
  let now = startTime
  const simulator = await start({ clock: () => now })
  const uploaded = simulator.primary.documents.add()
  const stuck = simulator.primary.documents.add({ uploadStatus: 'Processing' })
  expect([uploaded.uploadStatus, uploaded.updatedAt]).toEqual(['Processing', null])
  const { cursor } = await fullSync(simulator, '/documents')
  now += 600_000 - 1
  expect(records(await call(simulator, `/documents?cursor=${cursor}`))).toEqual([])
  now += 2
  const changed = records(await call(simulator, `/documents?cursor=${cursor}`))
  const wanted = { uploadStatus: 'Completed', updatedAt: new Date(startTime + 600_000).toISOString() }
  expect(changed.find(({ fileId }) => fileId === uploaded.fileId)).toMatchObject(wanted)
  expect(simulator.primary.documents.find(stuck.fileId)?.uploadStatus).toBe('Processing')
})
