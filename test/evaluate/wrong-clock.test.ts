import { expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { client, document, role } from '../checks/support/facts.ts'
import { sqliteWorld, waiver } from './support/sqlite-world.ts'

const secrets = 'api-client-secret-lifetime'
const iso = (ms: number) => new Date(ms).toISOString()

/** A client whose secret is valid for another 300 days. */
async function world() {
  const made = await sqliteWorld()
  const secretExpirationDate = iso(made.now + 300 * dayMs)
  const rows = { 'api-clients': [client({ secretExpirationDate })], roles: [role()] }
  const evaluate = async () => {
    await made.mirror.noteTime(made.now)
    await made.evaluate()
  }
  return { ...made, world: made, rows, evaluate, pass: (ms: number) => made.pass(ms) }
}

it('resolves findings opened by a slow clock as clock_corrected', async () => {
  const { world: own, rows, evaluate, mirror } = await world()
  await own.sync(rows)
  await evaluate()
  expect(await own.findings(secrets)).toEqual([])
  const back = 200 * dayMs
  own.pass(-back)
  await evaluate()
  own.pass(minuteMs)
  await evaluate()
  expect(await own.findings(secrets)).toHaveLength(1)
  own.pass(back)
  await mirror.noteTime(own.now)
  await mirror.confirmTime(own.now)
  await own.sync(rows)
  await evaluate()
  expect(await own.findings(secrets, ['resolved'])).toMatchObject([{ resolution: 'clock_corrected' }])
})

it('resolves findings opened after a justified clock correction as fixed', async () => {
  const { world: own, rows, evaluate, mirror } = await world()
  await own.sync(rows)
  await evaluate()
  own.pass(-hourMs)
  await evaluate()
  await mirror.confirmTime(own.now)
  const long = { ...rows, 'api-clients': [client({ secretExpirationDate: iso(own.now + 900 * dayMs) })] }
  await own.sync(long)
  await evaluate()
  expect(await own.findings(secrets)).toHaveLength(1)
  own.pass(70 * minuteMs)
  await own.sync(rows)
  await evaluate()
  expect(await own.findings(secrets, ['resolved'])).toMatchObject([{ resolution: 'fixed' }])
})

it('expires a waiver by the server clock when the local clock is behind', async () => {
  const { world: own } = await world()
  own.waivers.push(waiver({ check: secrets, entity: '*', expiresMs: own.now + dayMs }))
  await own.sync({ 'api-clients': [client({ secretExpirationDate: iso(own.now + 900 * dayMs) })], roles: [role()] })
  await own.evaluate()
  expect(await own.findings(secrets)).toMatchObject([{ state: 'waived' }])
  own.query('update sync_states set server_time = ?, server_time_at = ? returning 1', own.now + 2 * dayMs, own.now)
  expect(await own.findings(secrets)).toMatchObject([{ state: 'open' }])
  expect(await own.waiver()).toMatchObject({ state: 'expired' })
  expect(await own.counts(secrets)).toMatchObject({ open: { low: 1 }, waived: {} })
})

it('measures the age of a document by the corrected clock', async () => {
  const { world: own, evaluate, mirror } = await world()
  const processing = 'document-processing-finished'
  const done = document({ uploadStatus: 'Completed' })
  await own.sync({ documents: [done] })
  own.pass(500 * dayMs)
  await own.sync({ documents: [{ ...done, uploadStatus: 'Processing' }] })
  await evaluate()
  own.pass(-500 * dayMs)
  await mirror.noteTime(own.now)
  await mirror.confirmTime(own.now)
  own.pass(25 * hourMs)
  await own.sync({ documents: [{ ...done, uploadStatus: 'Processing' }] })
  await evaluate()
  expect(await own.findings(processing)).toHaveLength(1)
})
