import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, type Place, placeFor, type RunningDaemon, until } from './support/program.ts'

const dayMs = 86_400_000
const yearMs = 365 * dayMs
const perSecond = `schedule: { users: { incremental: "* * * * * *" }, roles: { full: "* * * * * *" }, permissions: { full: "*/2 * * * * *" }, evaluate: "* * * * * *" }`
const preload = join(import.meta.dirname, 'support/moved-clock.mjs')

/** Sets the wall clock of the daemon, in one step. */
type SetClock = (offsetMs: number) => void

async function daemonWithClock(place: Place, offsetMs = 0): Promise<{ one: RunningDaemon; setClock: SetClock }> {
  const file = join(place.folder, 'offset')
  const setClock = (ms: number) => {
    writeFileSync(`${file}.new`, String(ms))
    renameSync(`${file}.new`, file)
  }
  setClock(offsetMs)
  const one = await daemon({ ...place, env: { ...place.env, CLOCK_OFFSET: file } }, '--import', preload)
  return { one, setClock }
}

/** The processor time of a process so far, in milliseconds: fields 14 and 15 of its `stat`, in hundredths of a second. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Asks for the health without a pause until stopped; gives the most processor time that the daemon spent before it
 * answered, in milliseconds. A clock would also count the time that the machine gave to others.
 */
function watchHealth(one: RunningDaemon): () => Promise<number> {
  let going = true
  let slowest = 0
  const { pid } = one.child
  if (pid === undefined) throw new Error('the daemon does not run')
  const watching = (async () => {
    while (going) {
      const before = processorMs(pid)
      const { status } = await one.get('/healthz')
      if (status !== 200) throw new Error(`/healthz gave ${status}`)
      slowest = Math.max(slowest, processorMs(pid) - before)
      await delay(20)
    }
  })()
  return async () => {
    going = false
    await watching
    return slowest
  }
}

it.each([
  { what: 'from 1970 to today', schedule: '', from: -Date.now() + dayMs, jumps: [0] },
  {
    what: 'from 1970 to today, with a schedule in seconds',
    schedule: perSecond,
    from: -Date.now() + dayMs,
    jumps: [0],
  },
  { what: 'ahead by a year and back', schedule: perSecond, from: 0, jumps: [yearMs, 0] },
  { what: 'ahead by sixty years and back', schedule: perSecond, from: 0, jumps: [60 * yearMs, 0] },
  { what: 'back by a day', schedule: '', from: 0, jumps: [-dayMs] },
])('answers, syncs and stops in time when the clock is set $what', async ({ schedule, from, jumps }) => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 20 } })
  onTestFinished(() => simulator.close())
  const { one, setClock } = await daemonWithClock(placeFor(simulator, temporaryFolder(), schedule), from)
  await until(async () => (await one.get('/readyz')).status === 200)
  const slowestMs = watchHealth(one)
  for (const offset of jumps) {
    const before = simulator.requests.count()
    setClock(offset)
    // Whatever the schedule: what fell due by the jump is read at once.
    await until(() => simulator.requests.count() > before + 5)
    await delay(2000)
  }
  expect(await slowestMs()).toBeLessThan(1000)
  const asked = performance.now()
  one.child.kill('SIGTERM')
  expect(await one.ended).toMatchObject({ code: 0, signal: null })
  expect(performance.now() - asked).toBeLessThan(5000)
  expect(one.stderr.split('\n').length).toBeLessThan(100)
  expect(one.stderr.match(/The wall clock was set/g)?.length).toBeLessThanOrEqual(jumps.length)
})
