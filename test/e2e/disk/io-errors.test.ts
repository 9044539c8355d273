import { expect, it } from 'vitest'
import { bundle } from '../support/program.ts'
import { type FullSyncScene, fullSyncScene } from './support/full-sync-scene.ts'
import { look } from './support/look.ts'
import { halfDone, unlike } from './support/oracle.ts'
import { pointsOf, problemsOf } from './support/points.ts'
import { canInject, countOf, type Injection, type Traced, traced } from './support/traced.ts'

const run = ({ folder, args }: FullSyncScene, env: Readonly<Record<string, string>>) => ({
  bundle,
  folder,
  env,
  args,
})

/** The one sentence that a failing disk must come to, wherever in the run it strikes. */
const sentence =
  /The (mirror could not be written|database \S+ cannot be opened) \(SQLITE_(FULL|IOERR\w*|CANTOPEN\w*)\)/

function toldProblems({ code, signal, stdout, stderr }: Traced, seen: { readonly complete: boolean }): string[] {
  const output = stdout + stderr
  const problems: string[] = []
  if (signal !== null) return [`ended by ${signal}`]
  // Only the write-back at closing may fail without a word: the log stays, and the next start reads it.
  if (code === 0)
    return seen.complete && stderr === '' ? [] : [`exited with success and printed ${stderr.slice(0, 300)}`]
  if (code !== 3) problems.push(`ended with ${code}`)
  if (!sentence.test(output)) problems.push(`printed ${output.slice(0, 300)}`)
  if (/\n\s+at /.test(output)) problems.push('showed a stack')
  return problems
}

it.runIf(canInject).each(['ENOSPC', 'EIO'] as const)(
  'reports the error and loses no data when a write or fsync fails once or for good with %s',
  async (effect) => {
    const scene = await fullSyncScene()
    const undisturbed = await scene.withCopy(({ env }) => traced(run(scene, env)))
    expect(undisturbed).toMatchObject({ code: 0 })
    const sampled = pointsOf(countOf(undisturbed), effect, { pwrite64: 17, fsync: 6 })
    const points: Injection[] = sampled.map((point, i) => (i % 2 === 0 ? point : { ...point, onwards: true }))
    const outcomes = { failed: 0, passed: 0 }
    const problems = await problemsOf(points, (point) =>
      scene.withCopy(async ({ env, store, settle }) => {
        const ended = await traced(run(scene, env), point)
        outcomes[ended.code === 0 ? 'passed' : 'failed']++
        const seen = look(store)
        const complete = seen.completeStartedAt !== scene.before.completeStartedAt
        const found = [...toldProblems(ended, { complete }), ...halfDone(seen, scene)]
        const settled = await settle()
        if (settled.code !== 0) return [...found, `the next full sync ended with ${settled.code}: ${settled.stderr}`]
        return [...found, ...unlike(settled.seen, scene.after)]
      }),
    )
    console.info(`${effect} at ${points.length} points`, outcomes)
    expect(problems).toEqual([])
    expect(outcomes.failed).toBeGreaterThan(points.length * 0.7)
  },
)
