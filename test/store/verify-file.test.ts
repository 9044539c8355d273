import { readFileSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import type { Mirror } from '../../src/store/port.ts'
import { damageIndex, largeMirror } from '../support/large-mirror.ts'
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

/** Opens and closes a mirror as an engine that verifies it; resolves with whether it had to. */
async function runEngine(path: string): Promise<boolean> {
  await using mirror = openMirror(path, 'engine')
  if (mirror.isVerified()) return false
  await mirror.verify()
  return true
}

it('does not read a mirror again that only engines wrote to, which ended in order', async () => {
  const path = await largeMirror()
  expect(await runEngine(path)).toBe(true)
  expect(await runEngine(path)).toBe(false)
  expect(await runEngine(path)).toBe(false)
})

it('reads a mirror again that another program wrote to', async () => {
  const path = await largeMirror()
  await runEngine(path)
  damageIndex(path)
  await expect(runEngine(path)).rejects.toThrow(/is damaged/)
})

it('reads a mirror again whose engine was killed', async () => {
  const path = await largeMirror()
  await runEngine(path)
  const running = openMirror(path, 'engine')
  const lock = readFileSync(`${path}-lock`)
  await running[Symbol.asyncDispose]()
  writeFileSync(`${path}-lock`, lock)
  expect(await runEngine(path)).toBe(true)
})

it('reads a mirror again after a day of writing', async () => {
  const path = await largeMirror()
  await runEngine(path)
  const ended = new BetterSqlite3(`${path}-lock`)
  ended.pragma(`user_version = ${Math.floor(Date.now() / 60_000) - 24 * 60 - 1}`)
  ended.close()
  expect(await runEngine(path)).toBe(true)
})

it('knows a new and a small mirror to be sound from the start', async () => {
  const { path, mirror } = testMirror()
  expect(mirror.isVerified()).toBe(true)
  await mirror[Symbol.asyncDispose]()
  await using again = openMirror(path, 'engine')
  expect(again.isVerified()).toBe(true)
})

it('leaves the reading to an engine that runs, or ended in order', async () => {
  const path = await largeMirror()
  const engine = openMirror(path, 'engine')
  await using beside = openMirror(path, 'beside')
  expect(beside.isVerified()).toBe(true)
  await engine[Symbol.asyncDispose]()
  await using alone = openMirror(path, 'beside')
  expect(alone.isVerified()).toBe(false)
  await runEngine(path)
  await using afterwards = openMirror(path, 'beside')
  expect(afterwards.isVerified()).toBe(true)
})

it('finds an index that differs from its table', async () => {
  const path = await largeMirror()
  damageIndex(path)
  const mirror = opened(path)
  await expect(mirror.verify()).rejects.toThrow(/is damaged \(.*records_problem.*\); restore a backup/)
  expect(mirror.isVerified()).toBe(false)
})

it('stops reading when it is aborted', async () => {
  const mirror = opened(await largeMirror())
  const stop = new AbortController()
  const reading = mirror.verify(stop.signal)
  stop.abort(new Error('shutting down'))
  await expect(reading).rejects.toThrow('shutting down')
  expect(mirror.isVerified()).toBe(false)
})
