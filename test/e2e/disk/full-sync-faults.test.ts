import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import pMap from 'p-map'
import { expect, it } from 'vitest'
import { systemClock } from '../../../src/model/process/system-clock.ts'
import { fakeIo } from '../../support/fake-io.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { bundle, type Place, placeFor, simulate } from '../support/program.ts'
import { brokenIn } from './support/broken.ts'
import { type Call, canInject, countOf, type Injection, type Traced, traced } from './support/traced.ts'

const args = ['sync', '--full', '--resource', 'users'] as const
/** `all` takes every point where a test samples. */
const everyPoint = process.env['TENANTWATCH_DISK_POINTS'] === 'all'

/** Runs a command within this process, from the same sources: cheap, for what comes before and after the fault. */
const inside = ({ folder, env = {} }: Place, ...line: readonly string[]) =>
  fakeIo({ env, folder }).runWith({ clock: systemClock(), random: Math.random }, ...line)

type Row = Readonly<Record<string, unknown>>

/** Records, history and findings, without times and request ids. */
async function contentOf(place: Place) {
  const rows = async (...line: readonly string[]): Promise<readonly Row[]> =>
    JSON.parse((await inside(place, ...line, '--format', 'json')).stdout)
  return {
    users: await rows('export', 'users'),
    history: (await rows('history')).map((row) => JSON.stringify({ ...row, at: null, requestId: null })).toSorted(),
    findings: (await rows('findings', '--all'))
      .map((row) => [row['fingerprint'], row['state'], row['reopened']])
      .toSorted(),
  }
}

/** A mirror of three pages of users, of which some have changed, come and left since; each copy is a place of its own. */
async function scene() {
  const simulator = await simulate({ sizes: { users: 59 }, readings: { maxPageSize: { users: 20 } } })
  const base = placeFor(simulator, temporaryFolder(), 'userDetails: { perRun: 0 }\nlog: { level: error }')
  expect(await inside(base, 'sync')).toMatchObject({ code: 0 })
  const { primary } = simulator
  const users = primary.users.all()
  const ids = users.map(({ userId }) => userId)
  for (const index of [3, 25, 50])
    primary.users.update(ids[index] ?? 0, { lastName: `Changed ${index}`, mfaStatus: false })
  for (const index of [7, 30, 44]) primary.users.remove(ids[index] ?? 0)
  primary.users.add({ createdAt: users[29]?.createdAt ?? '' })
  primary.users.add()
  const parent = temporaryFolder()
  return () => {
    const folder = mkdtempSync(join(parent, 'copy-'))
    cpSync(base.folder, folder, { recursive: true })
    const store = join(folder, 'mirror.db')
    return { folder, store, env: { ...base.env, TENANTWATCH_STORE_PATH: store } }
  }
}

/** Every so manieth call of each kind; an error comes once or for good. */
function pointsOf(counts: Readonly<Record<Call, number>>, effect: Injection['effect'], steps: Record<Call, number>) {
  return (['pwrite64', 'fsync'] as const).flatMap((call) => {
    const stride = everyPoint ? 1 : steps[call]
    const count = Math.ceil(counts[call] / stride)
    return Array.from({ length: count }, (_, i): Injection => {
      return { call, when: 1 + i * stride, effect, onwards: effect !== 'kill' && i % 2 === 1 }
    })
  })
}

/** The one sentence that a failing disk must come to, wherever in the run it strikes. */
const sentence =
  /The (mirror could not be written|database \S+ cannot be opened) \(SQLITE_(FULL|IOERR\w*|CANTOPEN\w*)\)/

function expectTold({ code, signal, stdout, stderr }: Traced): void {
  expect(signal).toBeNull()
  // Only the write-back at closing may fail without a word: the log stays, and the next start reads it.
  if (code === 0) expect(stderr).toBe('')
  else expect([code, stdout + stderr]).toEqual([3, expect.stringMatching(sentence)])
  expect(stdout + stderr).not.toMatch(/\n\s+at /)
}

it.runIf(canInject).each([
  ['kill', { pwrite64: 10, fsync: 3 }],
  ['ENOSPC', { pwrite64: 17, fsync: 6 }],
  ['EIO', { pwrite64: 17, fsync: 6 }],
] as const)('loses nothing where a full sync meets %s at a write or fsync, and tells errors', async (effect, steps) => {
  const copy = await scene()
  const undisturbed = copy()
  const trace = await traced({ ...undisturbed, bundle, args })
  expect(trace).toMatchObject({ code: 0 })
  const wanted = await contentOf(undisturbed)
  const points = pointsOf(countOf(trace), effect, steps)
  const codes = await pMap(
    points,
    async (point) => {
      const place = copy()
      const ended = await traced({ ...place, bundle, args }, point)
      if (ended.signal !== 'SIGKILL') expectTold(ended)
      expect([point, brokenIn(place.store)]).toEqual([point, []])
      expect(await inside(place, ...args)).toMatchObject({ code: 0 })
      expect([point, await contentOf(place)]).toEqual([point, wanted])
      return ended.code
    },
    { concurrency: 2 },
  )
  const struck = codes.filter((code) => code !== 0).length
  console.info(`${effect} struck at ${struck} of ${points.length} points`)
  expect(struck).toBeGreaterThan(points.length * 0.7)
})
