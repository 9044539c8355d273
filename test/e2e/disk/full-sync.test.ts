import { expect, it } from 'vitest'
import { ownBundle } from './support/bundle.ts'
import { fullSyncScene } from './support/full-sync-scene.ts'
import { canInject, traced } from './support/traced.ts'

const bundle = ownBundle()

/** Bytes of a frame header in the write-ahead log (SQLite file format, section 4.1). */
const frameHeader = 24

interface Step {
  readonly file: string
  readonly kind: 'frame' | 'commit' | 'page' | 'sync'
}

const textOf = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex')

/** One traced call on a database file; the size in pages in a frame's header marks the last one of a commit. */
function stepOf(line: string): Step | null {
  const [, call = '', path = '', data = ''] = /(\w+)\(\d+<([^>]*)>(?:, "([^"]*)")?/.exec(line) ?? []
  const file = textOf(path).toString().split('/').at(-1) ?? ''
  if (call !== 'pwrite64') return { file, kind: 'sync' }
  const bytes = Number(/, (\d+), \d+\)/.exec(line)?.[1])
  if (!file.endsWith('-wal') || bytes !== frameHeader) return { file, kind: 'page' }
  return { file, kind: textOf(data).readUInt32BE(4) > 0 ? 'commit' : 'frame' }
}

it.runIf(canInject)('has every commit on disk before it writes anything of the next one', async () => {
  const scene = await fullSyncScene()
  const { calls, code } = await scene.withCopy(({ env }) =>
    traced({ bundle: bundle.file, folder: scene.folder, env, args: scene.args }),
  )
  expect(code).toBe(0)
  const steps = calls.map(stepOf).filter((step): step is Step => step?.file.endsWith('mirror.db-wal') === true)
  let unsynced = 0
  let commits = 0
  let syncs = 0
  let owed = false
  for (const { kind } of steps) {
    if (kind === 'sync') {
      syncs++
      owed = false
    } else if (kind === 'commit') {
      commits++
      if (owed) unsynced++
      owed = true
    } else if (kind === 'frame' && owed) {
      unsynced++
      owed = false
    }
  }
  console.info(`${commits} commits, ${syncs} syncs of the log`)
  expect(unsynced).toBe(0)
  expect(owed).toBe(false)
  expect(commits).toBeGreaterThan(10)
  expect(syncs).toBeGreaterThanOrEqual(commits)
})
