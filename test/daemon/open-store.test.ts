import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { urlOf } from '../../src/daemon/open-store.ts'
import { secondMs } from '../../src/model/time.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('runs the command of store.url at most every ten seconds', async () => {
  const folder = temporaryFolder()
  const [runs, output] = [join(folder, 'runs'), join(folder, 'output')]
  let ms = 0
  const clock = { now: () => ms, monotonic: () => ms, sleep: async () => {} }
  const command = ['sh', '-c', `echo >> ${runs}; cat ${output}`]
  const url = urlOf({ command }, { clock, env: {} })
  const asked = async () => [await url(), readFileSync(runs).length]
  writeFileSync(output, 'postgres://old')
  expect(await asked()).toEqual(['postgres://old', 1])
  writeFileSync(output, 'postgres://new')
  expect(await asked()).toEqual(['postgres://old', 1])
  ms += 10 * secondMs
  expect(await asked()).toEqual(['postgres://new', 2])
})
