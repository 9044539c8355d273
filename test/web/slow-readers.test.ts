import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { heavyLane } from '../../src/web/heavy-lane.ts'
import { slowReaders } from '../../src/web/slow-readers.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { acmeFindings } from './support/scene.ts'
import { sources, startServer } from './support/server.ts'
import { gone, open, roundTrip } from './support/wire.ts'

const limits = { sliceDeadlineMs: 10_000, maxKept: 1000 }
const socketOf = () => ({ destroy: vi.fn() }) as unknown as Socket

it('disconnects a client that reads nothing until the deadline', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const readers = slowReaders(limits)
  const [deaf, good] = [socketOf(), socketOf()]
  const taken = Promise.withResolvers<void>()
  void readers.waitFor(deaf, {}, 1, new Promise(() => {}))
  const waited = readers.waitFor(good, {}, 1, taken.promise)
  vi.advanceTimersByTime(9999)
  taken.resolve()
  await waited
  expect(deaf.destroy).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(deaf.destroy).toHaveBeenCalledOnce()
  expect(good.destroy).not.toHaveBeenCalled()
})

it('disconnects the longest-waiting client above the memory limit and counts shared bodies once', () => {
  const readers = slowReaders(limits)
  const [first, second, third] = [socketOf(), socketOf(), socketOf()]
  const never = new Promise(() => {})
  const shared = {}
  void readers.waitFor(first, shared, 900, never)
  void readers.waitFor(second, shared, 900, never)
  expect(first.destroy).not.toHaveBeenCalled()
  void readers.waitFor(third, {}, 200, never)
  expect([first, second, third].map(({ destroy }) => vi.mocked(destroy).mock.calls.length)).toEqual([1, 0, 0])
})

it('makes one large answer at a time and refuses more than the maximum until one ends', async () => {
  const lane = heavyLane({ clock: fakeClock(), most: 2, makeRoom: () => false })
  let [underWay, most] = [0, 0]
  const make = async () => {
    most = Math.max(most, ++underWay)
    await turn()
    underWay--
    return { status: 200, headers: {}, body: '' }
  }
  const here = () => false
  const answers = [lane.answer(make, here), lane.answer(make, here)]
  expect(lane.answer(make, here)).toBeUndefined()
  await Promise.all(answers)
  expect(most).toBe(1)
  await expect(lane.answer(make, here)).resolves.toMatchObject({ status: 200 })
})

it('counts an answer until its last piece is made or its client disconnects', async () => {
  const lane = heavyLane({ clock: fakeClock(), most: 1, makeRoom: () => false })
  const body = async function* () {
    yield 'a'
    yield 'b'
  }
  const make = async () => ({ status: 200, headers: {}, body: body() })
  for (const isRead of [true, false]) {
    const answer = await lane.answer(make, () => false)
    const { body: sent } = answer ?? expect.unreachable()
    const pieces = (sent as AsyncIterable<string>)[Symbol.asyncIterator]()
    await pieces.next()
    expect(lane.answer(make, () => false)).toBeUndefined()
    if (isRead) while ((await pieces.next()).done !== true);
    else await pieces.return?.()
  }
  await expect(lane.answer(make, () => false)).resolves.toBeDefined()
})

it('makes no piece for a disconnected client', async () => {
  const lane = heavyLane({ clock: fakeClock(), most: 1, makeRoom: () => false })
  const next = vi.fn(async () => ({ done: false as const, value: 'a' }))
  const body = { [Symbol.asyncIterator]: () => ({ next }) }
  const answer = await lane.answer(
    async () => ({ status: 200, headers: {}, body }),
    () => true,
  )
  expect(await Array.fromAsync(answer?.body as AsyncIterable<string>)).toEqual([])
  expect(next).not.toHaveBeenCalled()
})

it('answers others at once while 64 connections request large answers and read nothing', async () => {
  let made = 0
  const findings = async function* () {
    for (;;) {
      made++
      yield Array.from({ length: 500 }, () => acmeFindings[0] ?? expect.unreachable())
    }
  }
  await using web = await startServer({ sources: { ...sources, findings } })
  const asking = 'GET /api/v1/findings HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20)
  const deaf = await Promise.all(Array.from({ length: 64 }, () => open(web.port)))
  for (const socket of deaf) socket.pause().write(asking)
  let before = -1
  while (made !== before) {
    before = made
    for (let i = 0; i < 20; i++) await turn()
  }
  const end = ' HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  for (const path of ['/healthz', '/metrics', '/style.css']) {
    expect([path, await roundTrip(web.port, `GET ${path}${end}`)]).toEqual([
      path,
      expect.stringMatching(/^HTTP\/1\.1 200 /),
    ])
  }
  for (const socket of deaf) socket.destroy()
  await Promise.all(deaf.map(gone))
})
