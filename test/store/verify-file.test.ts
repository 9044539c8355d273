import { expect, it, onTestFinished } from 'vitest'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import type { Mirror } from '../../src/store/port.ts'
import { largeMirror } from '../support/large-mirror.ts'
import { testMirror } from '../support/mirror.ts'

function opened(path: string): Mirror {
  const mirror = openMirror(path, 'engine')
  onTestFinished(() => mirror[Symbol.asyncDispose]())
  return mirror
}

it('opens a large mirror unread and reads it when asked', async () => {
  const mirror = opened(await largeMirror())
  expect(mirror.isVerified()).toBe(false)
  await mirror.verify()
  expect(mirror.isVerified()).toBe(true)
})

it('knows a new and a small mirror to be sound from the start', async () => {
  const { path, mirror } = testMirror()
  expect(mirror.isVerified()).toBe(true)
  await mirror[Symbol.asyncDispose]()
  await using again = openMirror(path, 'engine')
  expect(again.isVerified()).toBe(true)
})

it('leaves the reading to an engine that runs', async () => {
  const path = await largeMirror()
  const engine = openMirror(path, 'engine')
  await using beside = openMirror(path, 'beside')
  expect(beside.isVerified()).toBe(true)
  await engine[Symbol.asyncDispose]()
  await using alone = openMirror(path, 'beside')
  expect(alone.isVerified()).toBe(false)
})

it('stops reading when it is aborted', async () => {
  const mirror = opened(await largeMirror())
  const stop = new AbortController()
  const reading = mirror.verify(stop.signal)
  stop.abort(new Error('shutting down'))
  await expect(reading).rejects.toThrow('shutting down')
  expect(mirror.isVerified()).toBe(false)
})
