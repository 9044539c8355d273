import { catalogue } from '../../src/commands/support/configuration.ts'
import { loadSettings } from '../../src/config/load-settings.ts'
import { openSession, type Session } from '../../src/daemon/session.ts'
import { silentLog } from '../../src/model/log.ts'
import type { Io } from '../../src/model/process/io.ts'
import { systemClock } from '../../src/model/process/system-clock.ts'
import { type Cost, peakMiB, timed } from '../support/measure.ts'
import type { EngineReport, EngineStep, EngineTask } from '../support/reports.ts'
import { evaluate, round, scrape } from './engine/evaluation.ts'
import { full, pageTimes } from './engine/full-sync.ts'
import { steady } from './engine/steady.ts'

/** The product's own engine, wired as its commands wire it, with a clock around each piece of its work. */
const task = JSON.parse(process.argv[2] ?? '') as EngineTask
const cwd = process.cwd()
const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd,
  clock: systemClock(),
  random: Math.random,
  stop: new AbortController().signal,
  onReload: () => {},
}
const { settings } = loadSettings({ file: task.config, env: process.env, cwd, catalogue })
const pages = pageTimes()

function perform(session: Session, step: EngineStep): Promise<EngineReport['steps'][number]> {
  switch (step.do) {
    case 'full':
      return full(session, step, pages)
    case 'round':
      return round(session, step)
    case 'steady':
      return steady(session, step, settings.store.path ?? '')
    case 'evaluate':
      return evaluate(session, step)
    case 'scrape':
      return scrape(session, step)
    default:
      throw new TypeError(`Unknown step ${step satisfies never}`)
  }
}

async function work(): Promise<EngineReport> {
  const { value, ...opening } = await timed(() =>
    openSession({
      settings,
      io,
      log: silentLog(),
      as: 'alone',
      progress: { page: pages.note, lookedUp() {}, runEnded() {} },
    }),
  )
  await using session = value
  // What follows waits for it only after a start.
  await session.sound()
  const steps: (Cost & { facts: Readonly<Record<string, number>> })[] = []
  for (const step of task.steps) steps.push(await perform(session, step))
  return { peakMiB: peakMiB(), opening, steps }
}

process.send?.(await work())
process.disconnect?.()
