import { expect, it } from 'vitest'
import { bundle } from '../support/program.ts'
import { fullSyncScene } from './support/full-sync-scene.ts'
import { look } from './support/look.ts'
import { halfDone, unlike } from './support/oracle.ts'
import { pointsOf, problemsOf } from './support/points.ts'
import { canInject, countOf, type Traced, traced } from './support/traced.ts'

/** The one sentence that a failing disk must come to, wherever in the run it strikes. */
const sentence =
  /The (mirror could not be written|database \S+ cannot be opened) \(SQLITE_(FULL|IOERR\w*|CANTOPEN\w*)\)/

function toldProblems({ code, signal, stdout, stderr }: Traced, isComplete: boolean): string[] {
  const output = stdout + stderr
  const problems: string[] = []
  if (signal !== null) return [`ended by ${signal}`]
  // Only the write-back at closing may fail without a word: the log stays, and the next start reads it.
  if (code === 0) return isComplete && stderr === '' ? [] : [`exited with success and printed ${stderr.slice(0, 300)}`]
  if (code !== 3) problems.push(`ended with ${code}`)
  if (!sentence.test(output)) problems.push(`printed ${output.slice(0, 300)}`)
  if (/\n\s+at /.test(output)) problems.push('showed a stack')
  return problems
}

it.runIf(canInject).each([
  ['kill', { pwrite64: 10, fsync: 3 }],
  ['ENOSPC', { pwrite64: 17, fsync: 6 }],
  ['EIO', { pwrite64: 17, fsync: 6 }],
] as const)(
  'leaves a full sync that meets %s at a write or fsync before or after it, never between, and tells errors',
  async (effect, steps) => {
    const scene = await fullSyncScene()
    const { folder, args } = scene
    const undisturbed = await scene.withCopy(({ env }) => traced({ bundle, folder, env, args }))
    expect(undisturbed).toMatchObject({ code: 0 })
    const sampled = pointsOf(countOf(undisturbed), effect, steps)
    // An error comes once or for good.
    const points = sampled.map((point, i) => (effect === 'kill' || i % 2 === 0 ? point : { ...point, onwards: true }))
    let struck = 0
    const problems = await problemsOf(points, (point) =>
      scene.withCopy(async ({ env, store, settle }) => {
        const ended = await traced({ bundle, folder, env, args }, point)
        const isKilled = effect === 'kill' && ended.signal === 'SIGKILL'
        if (isKilled || ended.code !== 0) struck++
        const seen = look(store)
        const isComplete = seen.completeStartedAt !== scene.before.completeStartedAt
        const found = [...(isKilled ? [] : toldProblems(ended, isComplete)), ...halfDone(seen, scene)]
        const settled = await settle()
        if (settled.code !== 0) return [...found, `the next full sync ended with ${settled.code}: ${settled.stderr}`]
        return [...found, ...unlike(settled.seen, scene.after)]
      }),
    )
    console.info(`${effect} struck at ${struck} of ${points.length} points`)
    expect(problems).toEqual([])
    expect(struck).toBeGreaterThan(points.length * 0.7)
  },
)
