import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { createLog } from '../../src/commands/support/logger.ts'
import type { Io } from '../../src/model/process/io.ts'
import { wider } from './support/on-terminal.ts'

async function logInto(lines: string[], level: string) {
  const stderr = { write: (text: string) => lines.push(JSON.parse(text).msg) > 0 }
  return createLog({ stderr } as unknown as Io, level)
}

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

it('breaks a line on a terminal between its fields, and none in a file', async () => {
  const texts: string[] = []
  const write = (text: string) => texts.push(text) > 0
  const fields = { tenant: 'acme', resource: 'documents', hint: 'A new field is harmless; the runbook explains more' }
  const terminal = { isTTY: true, columns: 80, write }
  for (const stderr of [terminal, { write }])
    (await createLog({ stderr } as unknown as Io, 'info')).warn(fields, "The tenant's API deviates from it")
  const [shown = '', line] = texts.map((text) => stripVTControlCharacters(text))
  expect(wider(shown, 80)).toEqual([])
  const [, ...fieldLines] = shown.trimEnd().split('\n')
  expect(fieldLines.length).toBeGreaterThan(0)
  expect(fieldLines.filter((one) => !/^ {2}\S/.test(one))).toEqual([])
  expect(JSON.parse(shown.slice(shown.indexOf('{')).replace(/\n +/g, ' '))).toEqual(fields)
  expect(JSON.parse(line ?? '')).toMatchObject(fields)
})
