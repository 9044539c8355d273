import { expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { document, iso, now } from '../checks/support/facts.ts'
import { sqliteWorld } from './support/sqlite-world.ts'

type World = Awaited<ReturnType<typeof sqliteWorld>>

/** Shows the document in one status after the other, twelve hours apart; which check finds it each time. */
async function live(world: World, ...statuses: readonly (string | null)[]) {
  const found: string[] = []
  for (const uploadStatus of statuses) {
    await world.sync({ documents: [document({ uploadStatus, createdAt: iso(now) })] })
    await world.evaluate()
    const [stuck] = await world.findings('document-processing-finished')
    const [unknown] = await world.findings('document-status-known')
    const open = [stuck, unknown].filter((finding) => finding?.state === 'open')
    found.push(open.map((finding) => finding?.check.slice('document-'.length)).join() || 'nothing')
    world.pass(12 * hourMs)
  }
  return found
}

const [stuck, unknown] = ['processing-finished', 'status-known']

it('resolves no stuck document by a status that nobody knows', async () => {
  const found = await live(await sqliteWorld(), 'Processing', 'Failed', 'Processing', null, 'Completed')
  expect(found).toEqual(['nothing', 'nothing', stuck, `${stuck},${unknown}`, 'nothing'])
})

it('counts from the last completed status', async () => {
  const world = await sqliteWorld()
  await live(world, 'Processing', 'Failed', 'Completed')
  const begun = world.now + minuteMs
  expect(await live(world, 'Processing', null, 'Failed', 'Processing')).toEqual(['nothing', 'nothing', unknown, stuck])
  const [finding] = await world.findings('document-processing-finished')
  expect(finding?.evidence['statusSince']).toBe(iso(begun))
  expect(await live(world, 'Completed', 'Processing')).toEqual(['nothing', 'nothing'])
})

const indexed = { checks: { 'document-required-present': { options: { statuses: ['Completed', 'Indexed'] } } } }

it('uses the configured completed statuses', async () => {
  const world = await sqliteWorld(indexed)
  const found = await live(world, 'Processing', 'Indexed', 'Failed', 'Processing', 'Processing')
  expect(found).toEqual(['nothing', 'nothing', 'nothing', 'nothing', stuck])
})

it('ignores a time from a clock that was a year ahead', async () => {
  const world = await sqliteWorld(indexed)
  await live(world, 'Indexed')
  world.pass(365 * dayMs)
  await live(world, 'Failed')
  world.pass(-365 * dayMs)
  await world.mirror.confirmTime(world.now)
  expect(await live(world, 'Failed', 'Failed', 'Failed', 'Failed')).toContain(unknown)
})
