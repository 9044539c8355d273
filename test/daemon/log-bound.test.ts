import { expect, it } from 'vitest'
import { createLog } from '../../src/commands/support/logger.ts'
import type { Io } from '../../src/model/process/io.ts'

/** A standard error whose reader reads nothing until the test releases it. */
function blocked() {
  const stream = {
    text: '',
    writableLength: 0,
    write(piece: string) {
      stream.text += piece
      stream.writableLength += piece.length
      return false
    },
  }
  return stream
}

it('drops and counts lines that nobody reads, and logs the number once somebody reads', async () => {
  const stderr = blocked()
  const log = await createLog({ stderr } as unknown as Io, 'info')
  for (let i = 0; i < 3000; i++) log.info({ text: 'x'.repeat(1000) }, 'Something happened')
  expect(stderr.text.length).toBeLessThan(1.1 * 1024 * 1024)
  const kept = stderr.text.trimEnd().split('\n').length
  stderr.writableLength = 0
  log.info({}, 'Read again')
  const lines = stderr.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ msg: 'Read again' })
  expect(lines.at(-2)).toMatchObject({
    level: 40,
    dropped: 3000 - kept,
    msg: 'Log lines were dropped: the reader of standard error was too slow',
  })
})
