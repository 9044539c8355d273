import { expect, it } from 'vitest'
import { createLog } from '../../src/commands/support/logger.ts'
import type { Io } from '../../src/model/process/io.ts'

async function logInto(lines: string[], level: string) {
  const stderr = { write: (text: string) => lines.push(JSON.parse(text).msg) > 0 }
  return createLog({ stderr } as unknown as Io, level)
}

it.each([
  ['silent', []],
  ['fatal', []],
  ['error', ['d']],
  ['warn', ['c', 'd']],
  ['info', ['b', 'c', 'd']],
  ['debug', ['a', 'b', 'c', 'd']],
  ['trace', ['a', 'b', 'c', 'd']],
])('writes at level %s only lines of that level or above', async (level, wanted) => {
  const lines: string[] = []
  const log = (await logInto(lines, level)).child({ tenant: 'acme' })
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({}, 'c')
  log.error({}, 'd')
  expect(lines).toEqual(wanted)
})

it('changes its level together with that of its children', async () => {
  const lines: string[] = []
  const log = await logInto(lines, 'warn')
  const child = log.child({ tenant: 'acme' }).child({ check: 'x' })
  child.info({}, 'before')
  log.setLevel('info')
  child.info({}, 'meanwhile')
  log.setLevel('error')
  child.warn({}, 'after')
  log.warn({}, 'after')
  expect(lines).toEqual(['meanwhile'])
})
