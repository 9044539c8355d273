import { expect, it } from 'vitest'
import { createLog } from '../../src/commands/support/logger.ts'
import type { Io } from '../../src/model/process/io.ts'

it('changes its level together with that of its children', async () => {
  const lines: string[] = []
  const stderr = { write: (text: string) => lines.push(JSON.parse(text).msg) > 0 }
  const log = await createLog({ stderr } as unknown as Io, 'warn')
  const child = log.child({ tenant: 'acme' }).child({ check: 'x' })
  child.info({}, 'before')
  log.setLevel('info')
  child.info({}, 'meanwhile')
  log.setLevel('error')
  child.warn({}, 'after')
  log.warn({}, 'after')
  expect(lines).toEqual(['meanwhile'])
})
