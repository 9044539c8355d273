import { expect, it } from 'vitest'
import { bundle } from '../support/program.ts'
import { fullSyncScene } from './support/full-sync-scene.ts'
import { look } from './support/look.ts'
import { halfDone, unlike } from './support/oracle.ts'
import { pointsOf, problemsOf } from './support/points.ts'
import { canInject, countOf, traced } from './support/traced.ts'

it.runIf(canInject)('leaves a full sync killed at any write or fsync before or after it, never between', async () => {
  const scene = await fullSyncScene()
  const run = (env: Readonly<Record<string, string>>) => ({
    bundle,
    folder: scene.folder,
    env,
    args: scene.args,
  })
  const undisturbed = await scene.withCopy(({ env }) => traced(run(env)))
  expect(undisturbed).toMatchObject({ code: 0 })
  const points = pointsOf(countOf(undisturbed), 'kill', { pwrite64: 10, fsync: 3 })
  let killed = 0
  const problems = await problemsOf(points, (point) =>
    scene.withCopy(async ({ env, store, settle }) => {
      const { signal, code } = await traced(run(env), point)
      if (signal === 'SIGKILL') killed++
      else if (code !== 0) return [`ended with ${code}`]
      const between = halfDone(look(store), scene)
      const { code: settled, seen, stdout, stderr } = await settle()
      if (settled !== 0) return [...between, `the next full sync ended with ${settled}: ${stdout}${stderr}`]
      return [...between, ...unlike(seen, scene.after)]
    }),
  )
  console.info(`killed at ${killed} of ${points.length} points`)
  expect(problems).toEqual([])
  expect(killed).toBeGreaterThan(points.length * 0.9)
})
