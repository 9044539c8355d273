import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { urlOf } from '../../src/daemon/open-store.ts'
import { minuteMs, secondMs } from '../../src/model/durations.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('runs the command of store.url once a minute, and each ten seconds while the server refuses its output', async () => {
  const folder = temporaryFolder()
  const [runs, output] = [join(folder, 'runs'), join(folder, 'output')]
  let ms = 0
  const clock = { now: () => ms, monotonic: () => ms, sleep: async () => {} }
  const command = ['sh', '-c', `echo >> ${runs}; cat ${output}`]
  const url = urlOf({ command }, { clock, env: {} })
  const after = async (refused?: 'refused') => [await url(refused), readFileSync(runs).length]
  writeFileSync(output, 'postgres://old')
  expect(await after()).toEqual(['postgres://old', 1])
  writeFileSync(output, 'postgres://new')
  expect(await after()).toEqual(['postgres://old', 1])
  expect(await after('refused')).toEqual(['postgres://new', 2])
  writeFileSync(output, 'postgres://newest')
  expect(await after('refused')).toEqual(['postgres://new', 2])
  ms += 10 * secondMs
  expect(await after()).toEqual(['postgres://new', 2])
  expect(await after('refused')).toEqual(['postgres://newest', 3])
  writeFileSync(output, 'postgres://last')
  ms += minuteMs
  expect(await after()).toEqual(['postgres://last', 4])
})
